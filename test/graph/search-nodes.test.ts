// Tests the search for node types with the words that people use, on the catalog that the service ships.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import { STRONG_SCORE, scoreWords, toSearchWords } from '../../src/graph/search-nodes.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';

const { entries } = createNodeCatalog({} as never);

/** Returns the types that match all words, best first. */
function search(query: string): readonly CatalogEntry[] {
  const words = toSearchWords(query);
  return entries
    .map(entry => ({ entry, scores: scoreWords(entry, words) }))
    .filter(({ scores }) => !scores.includes(0))
    .sort((a, b) => sum(b.scores) - sum(a.scores))
    .map(({ entry }) => entry);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const finds = (query: string, nodeType: string): boolean =>
  search(query).some(entry => entry.nodeType === nodeType);

describe('the search for node types', () => {
  it('finds nodes by what people call them', () => {
    for (const [query, nodeType] of [
      ['picture', 'generate:sandbox'],
      ['photo', 'input:image'],
      ['captions', 'text:fal_whisper'],
      ['subtitles', 'video:renderer'],
      ['logo', 'utility:image_composite'],
      ['combine', 'utility:video_concat'],
      ['loop', 'input:list'],
      ['translate', 'text:openai_chat'],
      ['slideshow', 'video:renderer'],
      ['variation', 'edit:fal_seedream'],
      ['LLM', 'text:replicate_llama'],
      ['text to video', 'video:fal_veo3_1'],
      ['cut a clip', 'utility:video_trim'],
    ] as const)
      assert.ok(finds(query, nodeType), `${query} does not find ${nodeType}`);
  });

  it('finds all of a kind, and nothing else', () => {
    const found = search('remove background').map(({ nodeType }) => nodeType);
    assert.deepEqual(found.toSorted(), [
      'edit:fal_birefnet',
      'edit:fal_birefnet_v2',
      'edit:fal_bria_background_remove',
      'video:fal_birefnet_v2_video',
      'video:fal_bria_video_background_removal',
    ]);
    // Addresses of price lists contain llms.txt.
    assert.ok(search('llm').every(({ nodeType }) => nodeType.startsWith('text:')));
  });

  it('ranks the word itself above its synonyms, and names above descriptions', () => {
    assert.equal(search('merge')[0]?.nodeType, 'logic:merge');
    assert.equal(search('music')[0]?.label.toLowerCase().includes('music'), true);
    const [resize, replace] = ['utility:image_resize', 'utility:text_replace'].map(nodeType => {
      const entry = entries.find(each => each.nodeType === nodeType);
      return entry === undefined ? [] : scoreWords(entry, ['image', 'expression']);
    });
    assert.ok((resize?.[0] ?? 0) >= STRONG_SCORE);
    assert.ok((replace?.[1] ?? 0) > 0 && (replace?.[1] ?? 0) < STRONG_SCORE);
  });

  it('ignores words that say nothing, unless there are no others', () => {
    assert.deepEqual(toSearchWords('the Text to  image'), ['text', 'image']);
    assert.deepEqual(toSearchWords('to'), ['to']);
  });
});
