// Says which tier of the tests runs.

/** Whether the nightly tier runs, as by `npm run test:all`. Tests then use all seeds, sizes and repetitions. */
export const isNightly = process.env.NIGHTLY !== undefined;

/** Options of a test that runs only at night. */
export const NIGHTLY_ONLY = { skip: isNightly ? false : 'runs at night' } as const;
