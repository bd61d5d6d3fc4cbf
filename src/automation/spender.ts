// Decides whose monthly limits the runs of a schedule or trigger spend after a change.
import { toSpender, type UserActor } from '../services/accounts/actor.ts';
import { type SpenderColumns, toSpenderColumns } from '../store/spenders.ts';

/** The fields of a change that neither start runs nor change what they cost. */
const HARMLESS_FIELDS: ReadonlySet<string> = new Set(['name']);

/**
 * Returns the columns of whoever changes what an automation runs, or activates it. Otherwise a member could spend the limit
 * of the creator. Who only renames or pauses it does not pay for it.
 */
export function findNewSpender(
  user: UserActor,
  change: { readonly isActive?: boolean | undefined },
): SpenderColumns | undefined {
  const isHarmless = change.isActive === false || Object.keys(change).every(key => HARMLESS_FIELDS.has(key));
  return isHarmless ? undefined : toSpenderColumns(toSpender(user));
}
