#include <malloc.h>
#include <zlib.h>
