// Builds the SQL of filters, from a table of the attributes that a filter may compare.

/** A comparison of an attribute with a value. */
export interface Condition {
  /** The name of the attribute in lower case, with its sub-attribute. */
  readonly name: string;
  readonly value: string | boolean;
}

/** Returns the conditions, which compare with the parameters from $1, and the values of these. `sqlByName` compares with $1. */
export function buildConditions(
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
