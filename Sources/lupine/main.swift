internal import LupineCLI

LupineCommand.main()
