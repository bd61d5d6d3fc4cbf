// Tests triggers that start a run for each new file in a folder or an S3 bucket.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import S3rver from '@20minutes/s3rver';
import { AwsClient } from 'aws4fetch';
import {
  insertWaiting,
  listSeen,
  markSeen,
  recordCandidates,
  trimItems,
} from '../../../src/automation/triggers/store.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { createTrigger, listHistory, pollNow, type Trigger, waitForHistory } from './support.ts';

const GRAPH = {
  nodes: [
    node('key', 'input:text', { value: 'none' }),
    node('picture', 'input:image'),
    node('out', 'output:preview'),
    node('seen', 'output:preview'),
  ],
  edges: [edge('key.text > out.input'), edge('picture.image > seen.input')],
};

interface InboxServer {
  readonly service: TestService;
  /** Puts a file below the inbox of a trigger. */
  put(trigger: Trigger, name: string, bytes: Buffer | string): Promise<void>;
  close(): Promise<void>;
}

async function openFolder(): Promise<InboxServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-inbox-'));
  const service = await startTestService({ DATA_DIR: folder });
  return {
    service,
    async put({ id }, name, bytes) {
      const path = join(folder, 'inbox', id, name);
      await mkdir(dirname(path), { recursive: true });
      if (name.startsWith('link-')) await symlink('/etc/hostname', path);
      else await writeFile(path, bytes);
    },
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openBucket(): Promise<InboxServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-inbox-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'media' }],
  });
  const { port } = (await server.run()) as AddressInfo;
  const key = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const endpoint = `http://127.0.0.1:${port}`;
  const service = await startTestService({
    S3_BUCKET: 'media',
    S3_ENDPOINT: endpoint,
    S3_FORCE_PATH_STYLE: 'true',
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  });
  const client = new AwsClient({ ...key, service: 's3', region: 'us-east-1' });
  return {
    service,
    async put({ id }, name, bytes) {
      const url = `${endpoint}/media/inbox/${id}/${name.split('/').map(encodeURIComponent).join('/')}`;
      const response = await client.fetch(url, { method: 'PUT', body: new Uint8Array(Buffer.from(bytes)) });
      assert.equal(response.status, 200, await response.text());
    },
    close: async () => {
      await service.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

for (const [name, open] of Object.entries({ 'a folder': openFolder, 'a bucket': openBucket })) {
  describe(`a bucket trigger on ${name}`, () => {
    let inbox: InboxServer;
    let workflow: string;
    let picture: Buffer;
    before(async () => {
      inbox = await open();
      workflow = await inbox.service.createWorkflow(GRAPH);
      picture = await noiseImage(8, 8, 'png');
    });
    after(() => inbox.close());

    it('starts a run once for each new file whose size no longer changes', async () => {
      const { service } = inbox;
      const trigger = await createTrigger(service, workflow, {
        kind: 'bucket',
        inputs: { key: '/key', picture: '/url' },
        isActive: false,
      });
      await inbox.put(trigger, 'old.png', picture);
      await service.request('PATCH', `/triggers/${trigger.id}`, { isActive: true });
      assert.match(
        (await waitForHistory(service, trigger.id, 'skipped', 1))[0]?.reason ?? '',
        /existing items, which start nothing: 1\./,
      );
      await inbox.put(trigger, 'new files/fox é dog.png', picture);
      if (name === 'a folder') await inbox.put(trigger, 'link-1.png', '');
      await pollNow(service, trigger.id);
      await pollNow(service, trigger.id);
      const [entry] = await waitForHistory(service, trigger.id, 'accepted', 1);
      const run = await service.waitForStatus(entry?.executionId ?? '');
      assert.deepEqual([run.status, run.trigger], ['COMPLETED', 'bucket'], JSON.stringify(run.error));
      assert.match(String(run.inputs.key), /new files\/fox é dog\.png$/);
      await pollNow(service, trigger.id);
      // A file with a known key and other bytes is a new file.
      await inbox.put(trigger, 'old.png', await noiseImage(9, 9, 'png'));
      await inbox.put(trigger, 'notes.bin', 'no medium');
      await pollNow(service, trigger.id);
      await pollNow(service, trigger.id);
      await waitForHistory(service, trigger.id, 'accepted', 2);
      const [refused] = await waitForHistory(service, trigger.id, 'refused', 1);
      assert.match(refused?.reason ?? '', /notes\.bin: /);
      await pollNow(service, trigger.id);
      // The S3 test server sometimes fails to list files while a file is written. The next poll finds the file.
      const events = (await listHistory(service, trigger.id)).filter(
        ({ reason }) => !/could not be listed/.test(reason ?? ''),
      );
      assert.equal(events.length, 4, JSON.stringify(events));
    });

    it('starts one run for a file if two polls overlap', async () => {
      const { db } = inbox.service;
      const { id } = await createTrigger(inbox.service, workflow, { kind: 'bucket', isActive: false });
      const files = ['a', 'b'].map(item => ({ item, size: 1 }));
      const record = (): Promise<ReadonlySet<string>> => recordCandidates(db, id, files);
      await record();
      assert.deepEqual([...(await record())].sort(), ['a', 'b']);
      // The overlapping poll does not know that the files were handled, and records them again.
      await record();
      const candidate = { item: 'a', label: 'a.png', inputs: '{}' };
      assert.deepEqual([...(await insertWaiting(db, id, [candidate, candidate]))], ['a']);
      await markSeen(db, id, ['b']);
      assert.deepEqual([...(await record())], []);
      assert.deepEqual([...(await insertWaiting(db, id, [candidate]))], []);
      assert.deepEqual([...(await listSeen(db, id, ['a', 'b']))].sort(), ['a', 'b']);
    });

    it('remembers a file as long as the file is listed', async () => {
      const { db } = inbox.service;
      const { id } = await createTrigger(inbox.service, workflow, { kind: 'bucket', isActive: false });
      await markSeen(db, id, ['listed', 'removed']);
      await db.query(`update trigger_items set seen_at = now() - interval '1 hour' where trigger_id = $1`, [
        id,
      ]);
      await markSeen(db, id, ['new']);
      await trimItems(db, id, ['listed'], 1);
      assert.deepEqual([...(await listSeen(db, id, ['listed', 'removed', 'new']))].sort(), ['listed', 'new']);
    });

    it('reads another prefix than its own only if an administrator creates the trigger', async () => {
      const { service } = inbox;
      const otherUser = await service.createUser();
      const workflowId = await otherUser.createWorkflow(GRAPH);
      const body = { kind: 'bucket', config: { prefix: 'inbox/' } };
      const refusal = await otherUser.request<Trigger>('POST', `/workflows/${workflowId}/triggers`, body);
      assert.deepEqual([refusal.status, refusal.body.code], [401, 'insufficient_scope']);
      const { status } = await service.request('POST', `/workflows/${workflow}/triggers`, body);
      assert.equal(status, name === 'a bucket' ? 201 : 400);
    });
  });
}
