// Compares templates by whether they run now.
import type { Template } from '../../../sdk/src/schemas.ts';

/** Templates that need a key come last. */
export const byReadiness = (a: Template, b: Template): number => Number(b.runsNow) - Number(a.runsNow);
