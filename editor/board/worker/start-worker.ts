// Starts the web worker of a board.
import workerFile from 'worker:worker.ts';

export const startWorker = (): Worker => new Worker(new URL(workerFile, import.meta.url), { type: 'module' });
