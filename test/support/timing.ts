// Defines how much shorter the intervals and delays of services are in tests.

/** A test that checks a duration in production sets TIMING_DIVISOR to 1. */
export const TIMING_DIVISOR = '20';
