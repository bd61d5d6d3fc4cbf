// Sends requests to the operations of groups and of the SCIM token.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

export async function tourGroups({ send }: Pick<TourContext, 'send'>): Promise<void> {
  const team = await send('POST', `${V1}/teams`, { name: 'Design' });
  const mapping = { group: 'designers', teamId: team.body.id, role: 'EDITOR' };
  await send('PUT', `${V1}/admin/groups`, [mapping]);
  await send('GET', `${V1}/admin/groups`);
  await send('PUT', `${V1}/admin/groups`, []);
  await send('DELETE', `${V1}/teams/${team.body.id}`);
  await send('GET', `${V1}/admin/scim-token`);
  await send('POST', `${V1}/admin/scim-token`);
  await send('GET', `${V1}/admin/scim-token`);
  await send('DELETE', `${V1}/admin/scim-token`);
}
