// Presents columns of the database as members of a response: names in camel case, times in ISO 8601.

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type CamelCase<Name extends string> = Name extends `${infer Start}_${infer Rest}`
  ? `${Start}${Capitalize<CamelCase<Rest>>}`
  : Name;
type Presented<Value> = Value extends Date ? string : Value;

/** `presentColumns(key, 'id created_at')` returns `{ id, createdAt }`. Members are in the order of the columns. */
export function presentColumns<Row, const Columns extends string>(
  row: Row,
  columns: Words<Columns> extends keyof Row ? Columns : never,
): { readonly [Name in Words<Columns> & keyof Row & string as CamelCase<Name>]: Presented<Row[Name]> } {
  const names =
    memberNames.get(columns) ?? columns.split(' ').map(column => [column, toCamelCase(column)] as const);
  memberNames.set(columns, names);
  const members = names.map(([column, member]) => {
    const value = row[column as keyof Row];
    return [member, value instanceof Date ? value.toISOString() : value] as const;
  });
  return Object.fromEntries(members) as ReturnType<typeof presentColumns<Row, Columns>>;
}

/** The names by list of columns. The lists are constants of the program, so the map stays small. */
const memberNames = new Map<string, readonly (readonly [column: string, member: string])[]>();

const toCamelCase = (column: string): string =>
  column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
