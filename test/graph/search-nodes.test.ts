// Tests the search for node types with the words that people use, on the catalog that the service ships.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import { searchNodes, toSearchWords } from '../../src/graph/search-nodes.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';

const { entries } = createNodeCatalog({
  SANDBOX_MODELS: true,
  FAL_KEY: 'key',
  OPENAI_API_KEY: 'key',
  REPLICATE_API_TOKEN: 'key',
  ELEVENLABS_API_KEY: 'key',
} as never);

const search = (query: string, from: readonly CatalogEntry[] = entries): readonly string[] =>
  searchNodes(from, query).map(({ nodeType }) => nodeType);

describe('the search for node types', () => {
  it('lists first what people mean', () => {
    for (const [query, first] of [
      ['captions', /^video:renderer$/],
      ['subtitles', /^video:renderer$/],
      ['add captions', /^video:renderer$/],
      ['logo', /^utility:image_composite$/],
      ['watermark', /^utility:image_composite$/],
      ['combine', /^utility:prompt_concat$/],
      ['combine videos', /^utility:video_concat$/],
      ['loop', /^input:list$/],
      ['for each', /^input:list$/],
      ['translate', /^text:openai_chat$/],
      ['summarize', /^text:openai_chat$/],
      ['chatgpt', /^text:openai_chat$/],
      ['LLM', /^text:/],
      ['slideshow', /^video:renderer$/],
      ['variation', /^edit:/],
      ['img2img', /^edit:/],
      ['picture', /^input:image$/],
      ['photo', /^input:image$/],
      ['upload', /^input:image$/],
      ['save', /^output:/],
      ['remove background', /background_remove$/],
      ['upscale', /upscale/],
      ['transcribe', /speech_to_text|whisper/],
      ['speech to text', /speech_to_text|whisper/],
      ['text to speech', /^audio:/],
      ['voiceover', /^(?:utility:speech|audio:)/],
      ['text to video', /text_to_video/],
      ['image to video', /image_to_video/],
      ['i2v', /image_to_video/],
      ['lip sync', /^talking:/],
      ['music', /music/],
      ['cut a clip', /^utility:video_trim$/],
      ['merge', /^logic:merge$/],
      ['ocr', /ocr/],
      ['svg', /vector/],
    ] as const)
      assert.match(search(query)[0] ?? 'nothing', first, query);
  });

  it('finds all of a kind, and nothing else', () => {
    assert.deepEqual(search('remove background').toSorted(), [
      'edit:cutout_person_local',
      'edit:fal_birefnet',
      'edit:fal_birefnet_v2',
      'edit:fal_bria_background_remove',
      'video:fal_birefnet_v2_video',
      'video:fal_bria_video_background_removal',
    ]);
    // Addresses of price lists contain llms.txt.
    assert.ok(search('llm').every(nodeType => nodeType.startsWith('text:')));
    // A caption of an image is not a subtitle.
    assert.ok(!search('subtitles').includes('text:fal_moondream3_preview_caption'));
  });

  it('lists first what runs on this machine if no provider has a key', () => {
    const withoutKeys = createNodeCatalog({} as never).entries.map(({ isAvailable, ...entry }) =>
      entry.runsLocally || isAvailable !== false ? entry : { ...entry, isAvailable },
    );
    for (const query of ['remove background', 'background', 'cut out'])
      assert.equal(search(query, withoutKeys)[0], 'edit:cutout_person_local', query);
    assert.deepEqual(search('logo', withoutKeys).slice(0, 2), [
      'utility:image_composite',
      'utility:vectorize',
    ]);
  });

  it('ranks words in names above words in descriptions', () => {
    const found = search('image');
    assert.ok(
      found.indexOf('utility:image_resize') < found.indexOf('input:list') || !found.includes('input:list'),
    );
    assert.equal(search('if')[0], 'logic:if');
  });

  it('lists what matches some of the words if nothing matches all of them', () => {
    assert.deepEqual(search('resize zyzzyva'), search('resize'));
    assert.deepEqual(search('zyzzyva'), []);
  });

  it('lists models that cannot run after equally good ones that can', () => {
    const [first, second] = [entries.at(0), entries.at(1)] as [CatalogEntry, CatalogEntry];
    const [missing, present] = [
      { ...first, label: 'Zyzzyva', isAvailable: false as const },
      { ...second, label: 'Zyzzyva' },
    ];
    assert.deepEqual(searchNodes([missing, present], 'zyzzyva'), [present, missing]);
  });

  it('ignores words that say nothing, unless there are no others', () => {
    assert.deepEqual(toSearchWords('the Text to  image'), ['text', 'image']);
    assert.deepEqual(toSearchWords('to'), ['to']);
    assert.equal(search('').length, entries.length);
  });
});
