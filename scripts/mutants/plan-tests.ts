// Orders the tests of a file so that the fastest and closest run first, within a budget of seconds.
import { basename, dirname } from 'node:path';
import { isFast, isNightly } from '../tests/groups.ts';
import {
  listCoveringTests,
  listTouchedTests,
  measureDistances,
  type TestGraph,
} from '../tests/touched-tests.ts';

/** The tests of one process, in order. */
export interface TestBatch {
  readonly files: readonly string[];
  readonly seconds: number;
}

export interface TestPlan {
  readonly batches: readonly TestBatch[];
  /** The number of tests that touch the file, also outside of the budget. */
  readonly touched: number;
}

/** The distance of a test that belongs to the file, but does not import it, less one for each word in both paths. */
const FOLDER_DISTANCE = 3;
const SAME_NAME_DISTANCE = 1.5;
/** The first process ends soon, because most mutants fail the closest test. */
const FIRST_BATCH_SECONDS = 4;

/**
 * Plans the tests of a mutant of a file. Tests that use a browser, are nightly or check the text of the sources are left
 * out. The budget limits the sum of the usual durations.
 */
export function planTests(
  graph: TestGraph,
  file: string,
  getSeconds: (test: string) => number,
  budget: number,
): TestPlan {
  const inBrowser = measureDistances(graph, 'test/support/browser.ts');
  const usable = listTouchedTests([file], graph).filter(
    test => !inBrowser.has(test) && !isNightly(test) && dirname(test) !== 'test',
  );
  const distances = measureDistances(graph, file);
  const covering = new Set(listCoveringTests(graph, file));
  const words = toWords(file);
  const getFolderDistance = (test: string): number =>
    getName(test) === getName(file)
      ? SAME_NAME_DISTANCE
      : Math.max(1, FOLDER_DISTANCE - [...toWords(test)].filter(word => words.has(word)).length);
  const getDistance = (test: string): number =>
    Math.min(
      distances.get(test) ?? Number.POSITIVE_INFINITY,
      covering.has(test) ? getFolderDistance(test) : Number.POSITIVE_INFINITY,
    );
  const getCost = (test: string): number => (1 + getSeconds(test)) * getDistance(test) ** 2;
  const ordered = usable.sort((a, b) => getCost(a) - getCost(b));
  let spent = 0;
  const affordable = ordered.filter(test => {
    spent += getSeconds(test);
    return spent <= budget || test === ordered[0];
  });
  return { batches: toBatches(affordable, getSeconds), touched: usable.length };
}

/** Returns the name of a file without its extensions. */
const getName = (path: string): string | undefined => basename(path).split('.')[0];

/** Returns the words of a path in singular, such as `run` and `store` for `src/store/runs.ts`. */
const toWords = (path: string): ReadonlySet<string> =>
  new Set(
    path
      .replace(/(?:\.\w+)*$/, '')
      .split(/[/-]/)
      .slice(1)
      .map(word => word.replace(/s$/, '')),
  );

/** Groups tests, as `npm test` does: fast tests, the slow tests of a folder, and tests that run alone. */
function toBatches(tests: readonly string[], getSeconds: (test: string) => number): readonly TestBatch[] {
  const batches: TestBatch[] = [];
  let limit = FIRST_BATCH_SECONDS;
  for (const test of tests) {
    const last = batches.at(-1);
    const seconds = getSeconds(test);
    const first = last?.files[0];
    if (
      last !== undefined &&
      first !== undefined &&
      getGroup(first) === getGroup(test) &&
      last.seconds + seconds <= limit
    )
      batches[batches.length - 1] = { files: [...last.files, test], seconds: last.seconds + seconds };
    else {
      if (last !== undefined) limit *= 2;
      batches.push({ files: [test], seconds });
    }
  }
  return batches;
}

function getGroup(test: string): string {
  if (test.includes('.alone.')) return test;
  return isFast(test) ? 'fast' : dirname(test);
}
