internal import LupineCore
