import LupineTesting
import Lupine

print("x")
