// libpsl: the public suffix list, and the lower case of names outside ASCII.
#pragma once
#include <libpsl.h>
