// Sends requests to the operations of components.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

async function tourComfyUi({ send }: TourContext): Promise<void> {
  const source = {
    '1': { class_type: 'LoadImage', inputs: { image: 'portrait.png' } },
    '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
  };
  const imported = await send('POST', `${V1}/workflows/import`, { name: 'Portrait', source });
  await send('POST', `${V1}/workflows/import`, { source, dryRun: true });
  await send('POST', `${V1}/workflows/import`, { source: 'not a workflow' });
  const { id } = (imported.body as unknown as { workflow: { id: string } }).workflow;
  await send('GET', `${V1}/workflows/${id}/export?format=comfyui`);
  await send('DELETE', `${V1}/workflows/${id}`);
}

export async function tourComponents({ send }: TourContext, workflowId: string): Promise<void> {
  const component = `${V1}/workflows/${workflowId}`;
  const createCall = (componentId: string, version?: number) => ({
    id: 'card',
    type: 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: 'Card', nodeType: 'component:call', config: { workflowId: componentId, version } },
  });
  const createCaller = (componentId: string) => ({
    name: 'Two postcards',
    nodes: [createCall(componentId, 1)],
    edges: [],
  });
  await send('GET', `${component}/interface`);
  const { id } = (await send('POST', `${V1}/workflows`, createCaller(workflowId))).body;
  const { exportedAt: _, ...file } = (await send('GET', `${V1}/workflows/${id}/export`)).body as Record<
    string,
    unknown
  >;
  await send('POST', `${V1}/workflows/import`, file);
  await tourComfyUi({ send } as TourContext);
  await send('POST', `${V1}/workflows`, createCaller('wf_01jd8x3k5m7p9r1t3v5w7y9z0b'));
  const { id: unsharedId } = (
    await send('POST', `${V1}/workflows`, { ...createCaller(workflowId), name: 'Unshared' })
  ).body;
  await send('POST', `${V1}/workflows`, createCaller(unsharedId), { who: 'ada' });
  await send('PUT', `${V1}/workflows/${unsharedId}`, { nodes: [createCall(unsharedId)], edges: [] });
  await send('DELETE', `${V1}/workflows/${unsharedId}`);
  await send('DELETE', component);
  await send('GET', `${component}/callers?limit=1`);
  await send('POST', `${component}/callers/update`, { version: 'latest', dryRun: true });
}
