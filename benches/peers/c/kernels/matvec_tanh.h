// Half the square of the hyperbolic tangents of a matrix times a vector.
#define LINK(y) tanh(y)
#include "matvec.h"
