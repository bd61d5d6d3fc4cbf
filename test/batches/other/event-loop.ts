// The test files of one batch, in this process.
import { runBatch } from '../run-batch.ts';

runBatch('event-loop');
