// Tests that the media search finds any part of a name or prompt, and that it uses an index.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertMedia, listWorkspaceMedia } from '../../src/store/media/media.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const WORKSPACE = 'user:1';
const TEXTS: Readonly<Record<string, string | null>> = {
  'Harbour.PNG': 'a Red boat, 50% fog',
  "it's.png": 'back\\slash & pipe | ! <->',
  '狐.png': '雪の中の狐が走る',
  'x.png': null,
};

describe('the media search', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    for (const workspace of [WORKSPACE, 'user:2'])
      await insertMedia(
        database.db,
        Object.entries(TEXTS).map(([name, prompt], index) => ({
          id: `med_${workspace}_${index}`,
          user_id: Number(workspace.at(-1)),
          workspace,
          name,
          content_type: 'image/png',
          bytes: 1,
          sha256: '',
          width: null,
          height: null,
          duration: null,
          origin: 'upload',
          execution_id: null,
          prompt,
          poster_id: null,
        })),
      );
  });
  after(() => database.drop());

  const find = async (search: string, userId = 1) => {
    const page = { origins: ['upload'] as const, kind: null, search, before: null, limit: 10 };
    const rows = await listWorkspaceMedia(database.db, WORKSPACE, { userId, seesPrompts: false }, page);
    return rows.map(({ name }) => name).sort();
  };

  it('finds literal parts of any length, script and case', async () => {
    const namesByQuery = {
      h: ['Harbour.PNG', "it's.png"],
      bo: ['Harbour.PNG'],
      'd bo': ['Harbour.PNG'],
      'BOUR.png': ['Harbour.PNG'],
      '50% f': ['Harbour.PNG'],
      '5%f': [],
      "'": ["it's.png"],
      'k\\s': ["it's.png"],
      '& pipe | !': ["it's.png"],
      狐: ['狐.png'],
      中の狐: ['狐.png'],
      '.png': Object.keys(TEXTS).sort(),
      // The file contains all three-letter terms of this text, but not the text.
      'boat boat': [],
      'user:1': [],
      us: [],
    };
    for (const [search, names] of Object.entries(namesByQuery))
      assert.deepEqual(await find(search), names, search);
  });

  it('finds prompts of other users only for readers who may see prompts', async () => {
    assert.deepEqual(await find('boat', 2), []);
    assert.deepEqual(await find('harbour', 2), ['Harbour.PNG']);
  });

  it('uses an index', async () => {
    const plan = await database.db.transaction(async tx => {
      await tx.query('set local enable_seqscan = off');
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
        `explain select id from media m
         where media_search_terms(workspace, name, prompt) @@ media_search_query('${WORKSPACE}', 'boat')`,
      );
      return rows.map(row => row['QUERY PLAN']).join('\n');
    });
    assert.match(plan, /media_search/);
  });
});
