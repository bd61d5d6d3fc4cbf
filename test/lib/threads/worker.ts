// Performs the tasks of the thread pool test.
import { AppError } from '../../../src/lib/errors.ts';
import { serveTasks } from '../../../src/lib/threads/serve.ts';

interface TestTask {
  readonly kind: string;
  readonly value?: number;
}

const TASKS: Readonly<Record<string, (value: number, context: unknown) => unknown>> = {
  echo: value => value,
  context: (_, context) => context,
  spin: value => {
    for (const endMs = performance.now() + value; performance.now() < endMs; );
    return value;
  },
  wait: value => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, value);
    return value;
  },
  refuse: () => {
    const issues = [{ code: 'bad', message: 'Bad.' }];
    throw new AppError('invalid_graph', 'Refused.', { issues, details: { total: 3 } });
  },
  break: () => {
    throw new Error('It broke.');
  },
};

serveTasks<TestTask, unknown, unknown>(({ kind, value = 0 }, context) => TASKS[kind]?.(value, context));
