internal import Glibc
internal import LupineCLI

exit(await LupineCommand.main())
