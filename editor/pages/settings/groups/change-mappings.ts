// Changes rows of the table of groups, which the service replaces as a whole.
import type { GroupMappingInput } from '../../../../sdk/src/schemas.ts';
import { api } from '../../../lib/api.ts';

type Row = GroupMappingInput;

/** Returns whether both rows are about the same group and team. */
export const isSame = (a: Pick<Row, 'group' | 'teamId'>, b: Pick<Row, 'group' | 'teamId'>): boolean =>
  a.group === b.group && a.teamId === b.teamId;

/** Reads the table again first, so that rows that others have added meanwhile stay. */
export async function changeMappings(change: (rows: readonly Row[]) => readonly Row[]): Promise<void> {
  const mappings = await api.get('/admin/groups');
  const rows = mappings.map(({ group, teamId, role }) => ({ group, teamId, role }));
  await api.put('/admin/groups', change(rows));
}
