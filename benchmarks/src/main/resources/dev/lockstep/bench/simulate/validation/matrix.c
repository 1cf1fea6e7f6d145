/* The product of two square matrices of doubles, row by column: `matrix ROUNDS`. */
#include "freestanding.h"

enum { ROWS = 120 };

static double left[ROWS][ROWS], right[ROWS][ROWS], product[ROWS][ROWS];

static void multiply(void) {
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < ROWS; column++) {
            double sum = 0;
            for (int i = 0; i < ROWS; i++) {
                sum += left[row][i] * right[i][column];
            }
            product[row][column] = sum;
        }
    }
}

static uint64_t program(int count, char **arguments) {
    long rounds = count == 2 ? number_of(arguments[1]) : 0;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < ROWS; column++) {
            left[row][column] = row + column;
            right[row][column] = row - column;
        }
    }
    uint64_t sum = 0;
    phase_begin();
    for (long round = 0; round < rounds; round++) {
        multiply();
        left[round % ROWS][0] += 1;
        sum += (uint64_t)(int64_t)product[round % ROWS][1];
    }
    phase_end();
    return sum;
}
