// One half of the fast tests, in one process.
import { runFastHalf } from './together.ts';

runFastHalf(0);
