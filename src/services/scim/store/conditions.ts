// Lists and counts the resources that match a filter, by a table of the attributes that a filter may compare.
import type { Tx } from '../../../store/db.ts';
import { all, firstNumber } from '../../../store/rows.ts';

/** A comparison of an attribute with a value. */
export interface Condition {
  /** The name of the attribute in lower case, with its sub-attribute. */
  readonly name: string;
  readonly value: string | boolean;
}

/** The resources of a kind. */
export interface ResourceSql {
  /** A statement that ends with a condition. */
  readonly select: string;
  /** The comparison of each attribute with the text $1, by its name. */
  readonly filters: Readonly<Record<string, string>>;
  /** The column by which they are listed. */
  readonly order: string;
}

/** Reads the text $1 as the id of a user, so that an index finds it; null if it is none. */
export const USER_ID = `(case when $1 ~ '^[1-9][0-9]{0,8}$' then $1::int end)`;

export function countResources(
  tx: Tx,
  { select, filters }: ResourceSql,
  conditions: readonly Condition[],
): Promise<number> {
  const { where, values } = buildConditions(filters, conditions);
  return firstNumber(tx, `select count(*)::int as count from (${select}${where}) found`, values);
}

export function listResources<Row>(
  tx: Tx,
  { select, filters, order }: ResourceSql,
  conditions: readonly Condition[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly Row[]> {
  const { where, values } = buildConditions(filters, conditions);
  const range = `limit $${values.length + 1} offset $${values.length + 2}`;
  return all(tx, `${select}${where} order by ${order} ${range}`, [...values, limit, offset]);
}

/** Returns the conditions, which compare with the parameters from $1, and the values of these. */
function buildConditions(
  sqlByName: Readonly<Record<string, string>>,
  conditions: readonly Condition[],
): { readonly where: string; readonly values: readonly string[] } {
  return {
    where: conditions
      .map(({ name }, index) => ` and ${sqlByName[name]?.replaceAll('$1', `$${index + 1}`)}`)
      .join(''),
    values: conditions.map(({ value }) => String(value)),
  };
}
