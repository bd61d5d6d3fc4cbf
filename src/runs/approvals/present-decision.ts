// Presents decisions, in approvals, node states and webhooks.
import type { Decision } from '../../engine/types.ts';

export function presentDecision({ approved, value, comment, by, atMs }: Decision) {
  return {
    decision: approved ? ('approve' as const) : ('reject' as const),
    comment: comment ?? null,
    edited: value !== undefined,
    by: by ?? { via: 'account' as const },
    at: atMs === undefined ? null : new Date(atMs).toISOString(),
  };
}

/** Returns a phrase that names who decided. */
export function nameDecider({ by }: Pick<Decision, 'by'>): string {
  if (by?.via === 'timeout') return 'the timeout';
  return by?.name ?? by?.email ?? 'another person';
}
