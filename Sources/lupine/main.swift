internal import LupineCLI
