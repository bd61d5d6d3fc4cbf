// Tests that the media search finds words in names, prompts, models and workflows, and that it uses an index.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listWorkspaceMedia, type MediaQuery } from '../../src/store/media/library.ts';
import { insertMedia } from '../../src/store/media/media.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const WORKSPACE = 'user:1';
const TEXTS: Readonly<Record<string, string | null>> = {
  'Harbour.PNG': 'a Red boat, 50% fog',
  "it's.png": 'back\\slash & pipe | ! <->',
  '狐.png': '雪の中の狐が走る',
  'море.png': 'Большая волна на Закате',
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
          node_type: null,
          seed: null,
        })),
      );
  });
  after(() => database.drop());

  const NO_FILTER: MediaQuery = {
    origins: ['upload'],
    isFromApp: false,
    kind: null,
    nodeType: null,
    madeBy: null,
    createdAfter: null,
    createdBefore: null,
    collectionId: null,
    isFavorite: false,
    words: [],
    before: null,
    limit: 10,
  };
  const find = async (search: string, userId = 1, names: Readonly<Record<string, string[]>> = {}) => {
    const words = search
      .split(' ')
      .map(text => ({ text, nodeTypes: names[text] ?? [], workflowIds: names[`${text} workflow`] ?? [] }));
    const viewer = { userId, seesPrompts: false };
    const rows = await listWorkspaceMedia(database.db, WORKSPACE, viewer, { ...NO_FILTER, words });
    return rows.map(({ name }) => name).sort();
  };

  it('finds literal parts of any length, script and case', async () => {
    const namesByQuery = {
      h: ['Harbour.PNG', "it's.png"],
      bo: ['Harbour.PNG'],
      'boat red': ['Harbour.PNG'],
      'fog harb': ['Harbour.PNG'],
      'boat boats': [],
      'закат ВОЛН': ['море.png'],
      '走る 狐': ['狐.png'],
      '走る boat': [],
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
      boatd: [],
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

  it('finds files by the names of their model and workflow', async () => {
    await database.db.query(
      "update media set node_type = 'generate:x', workflow_id = 'wf_1' where name = 'x.png'",
    );
    const names = { flux: ['generate:x'], 'sketch workflow': ['wf_1'] };
    assert.deepEqual(await find('flux sketch', 1, names), ['x.png']);
    assert.deepEqual(await find('x.png flux', 1, names), ['x.png']);
    assert.deepEqual(await find('boat flux', 1, names), []);
    assert.deepEqual(await find('flux', 1), []);
  });

  it('uses an index', async () => {
    const plan = await database.db.transaction(async tx => {
      await tx.query('set local enable_seqscan = off');
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
        `explain select id from media m
         where media_word_terms(workspace, title, name, prompt, node_type, workflow_id)
           @@ media_word_query('${WORKSPACE}', '[{"text": "boat", "names": []}]')`,
      );
      return rows.map(row => row['QUERY PLAN']).join('\n');
    });
    assert.match(plan, /media_words/);
  });
});
