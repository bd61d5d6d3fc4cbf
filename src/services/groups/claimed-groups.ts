// Reads the groups of a token. The claim comes from outside and may have any form.
import { isRecord } from '../../lib/record.ts';

/** A token of 1 MB has at most some ten thousands. */
const MAX_GROUPS = 10_000;

/** The groups that a provider reports, or why they are unknown. */
export type ClaimedGroups =
  | { readonly groups: readonly string[] }
  | { readonly groups: undefined; readonly reason: 'absent' | 'left out' | 'malformed' | 'too many' };

/**
 * Reads the claim `groups`: a list, or a text for a single group. Other members of the list are ignored. If the user is in more groups
 * than fit in a token, Entra ID replaces the list by a reference in `_claim_names`, or by `hasgroups`.
 */
export function readClaimedGroups(claims: Readonly<Record<string, unknown>>): ClaimedGroups {
  const { groups, _claim_names: references, hasgroups } = claims;
  if (typeof groups === 'string') return { groups: groups !== '' && isStorable(groups) ? [groups] : [] };
  if (Array.isArray(groups)) {
    if (groups.length > MAX_GROUPS) return { groups: undefined, reason: 'too many' };
    const names = groups.filter((name): name is string => typeof name === 'string' && isStorable(name));
    return { groups: [...new Set(names)] };
  }
  if (groups !== undefined && groups !== null) return { groups: undefined, reason: 'malformed' };
  const isLeftOut = (isRecord(references) && references.groups !== undefined) || hasgroups === true;
  return { groups: undefined, reason: isLeftOut ? 'left out' : 'absent' };
}

/** Returns whether PostgreSQL accepts the text. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
