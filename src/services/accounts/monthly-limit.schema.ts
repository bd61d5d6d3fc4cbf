// Defines the monthly limits of members and API keys in requests and responses.
import { Type } from 'typebox';
import { Exact, Nullable } from '../schema.ts';

/** The largest limit, which no sum of credits reaches. */
const MAX_MONTHLY_CREDITS = 1_000_000_000_000;

export const MonthlyCredits = Nullable(
  Type.Integer({
    minimum: 0,
    maximum: MAX_MONTHLY_CREDITS,
    description: 'The credits that its runs may cost in a calendar month (UTC); null for no limit',
  }),
);

export const MonthlyLimitBody = Exact({ monthlyCredits: MonthlyCredits });

/** The members of a response that show a limit and what is spent of it. */
export const SpenderMonth = {
  monthlyCredits: Nullable(Type.Integer({ description: 'The limit per calendar month (UTC)' })),
  spentThisMonth: Type.Integer({ description: 'Charged and reserved for runs accepted this month (UTC)' }),
};
