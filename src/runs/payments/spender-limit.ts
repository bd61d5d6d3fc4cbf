// Creates the error of a run or call that would exceed the monthly limit of a member or an API key.
import { AppError } from '../../lib/errors.ts';
import type { SpenderLimit } from '../../store/spenders.ts';

/** Returns the 402 error. `spent` of the limit does not include the credits. */
export function createLimitError(
  limit: SpenderLimit,
  {
    credits,
    subject = 'The run',
    details = {},
  }: {
    readonly credits: number;
    readonly subject?: string;
    readonly details?: object;
  },
): AppError {
  return new AppError(`${limit.kind}_limit_exceeded`, describeExceededLimit(limit, credits, subject), {
    details: {
      requiredCredits: credits,
      availableCredits: getRemaining(limit),
      monthlyCredits: limit.limit,
      ...details,
    },
  });
}

/** Returns the credits that runs may still spend of the limit. */
export const getRemaining = ({ limit, spent }: SpenderLimit): number => Math.max(0, limit - spent);

/** Returns a sentence for each limit that the credits would exceed. */
export const describeExceededLimits = (
  limits: readonly SpenderLimit[],
  credits: number,
  subject?: string,
): readonly string[] =>
  limits
    .filter(({ limit, spent }) => spent + credits > limit)
    .map(limit => describeExceededLimit(limit, credits, subject));

/** Returns whether a run or call would exceed a monthly limit. */
export const isLimitError = (err: unknown): boolean =>
  err instanceof AppError && (err.code === 'member_limit_exceeded' || err.code === 'key_limit_exceeded');

/** Says which limit would be exceeded, and what to do. */
function describeExceededLimit(
  { kind, name, team_name, limit, spent }: SpenderLimit,
  credits: number,
  subject = 'The run',
): string {
  const used = `${spent} of the ${limit} credits of this month (UTC) are spent or reserved`;
  return kind === 'key'
    ? `${subject} needs ${credits} credits, but ${used} for the API key “${name}”. Raise the limit of the key, or wait until next month.`
    : `${subject} needs ${credits} credits, but ${used} for ${name} in “${team_name}”. Ask an OWNER of the team to raise the limit, or wait until next month.`;
}
