// Tests the list of slides of a video template: ports of slides, and connections that move with their slides.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { isSlidePort, listSlots, setSlides } from '../../../editor/board/slides.ts';
import type { VideoTemplate } from '../../../sdk/src/schemas.ts';
import type { GraphNode, JsonObject } from '../../../src/graph/types.ts';
import { findTemplate } from '../../../src/render/templates/catalog.ts';
import { listInputMappings } from '../../../src/render/templates/template.ts';

const catalog = createCatalog([]);
const getTemplate = (id: string): Pick<VideoTemplate, 'inputMappings'> => {
  const template = findTemplate(id);
  assert.ok(template);
  return { inputMappings: listInputMappings(template, {}) } as Pick<VideoTemplate, 'inputMappings'>;
};
const slideshow = getTemplate('photo-slideshow');

it('lists the ports of the slides', () => {
  assert.deepEqual(
    listSlots(slideshow, 'photos').map(slot => [slot.key, slot.label, slot.portType, slot.getPortId(2)]),
    [
      ['image', 'Photo', 'IMAGE', 'photo3'],
      ['caption', 'Caption', 'TEXT', 'caption3'],
    ],
  );
  assert.deepEqual(
    listSlots(getTemplate('feature-list'), 'features').map(({ key, getPortId }) => [key, getPortId(0)]),
    [['', 'feature1']],
  );
  assert.deepEqual(listSlots(slideshow, 'accent'), []);
  const ports = ['title', 'photo1', 'caption9'];
  assert.deepEqual(
    ports.map(port => isSlidePort(slideshow, port, ['photos'])),
    [false, true, true],
  );
  assert.deepEqual(
    ports.map(port => isSlidePort(slideshow, port, [])),
    [false, false, false],
  );
});

describe('setSlides', () => {
  const photos = ['a', 'b', 'c'].map(caption => ({ image: '', caption }));
  const node = (id: string, config: JsonObject = {}): GraphNode => ({
    id,
    type: 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: id, category: 'utility', nodeType: 'video:renderer', config },
  });
  const video = node('video', { templateId: 'photo-slideshow', props: { photos, accent: '#fff' } });
  const board: Board = {
    fields: {},
    nodes: [video, node('one'), node('two'), node('three')],
    edges: [
      { id: 'title', source: 'one', target: 'video', targetHandle: 'in-title' },
      { id: 'first', source: 'one', target: 'video', targetHandle: 'in-photo1' },
      { id: 'third', source: 'three', target: 'video', targetHandle: 'in-photo3' },
      { id: 'caption', source: 'two', target: 'video', targetHandle: 'in-caption2' },
    ],
  };
  const list = { node: video, prop: 'photos', slots: listSlots(slideshow, 'photos') };
  const set = (order: readonly (number | undefined)[]) => {
    const slides = order.map(index => photos[index ?? -1] ?? { image: '', caption: 'new' });
    const after = apply(board, setSlides(board, catalog, list, { slides, order, countBefore: 3 }));
    const props = findNode(after, 'video')?.data.config?.props as {
      photos: { caption: string }[];
      accent: string;
    };
    assert.equal(props.accent, '#fff');
    return [
      props.photos.map(({ caption }) => caption),
      Object.fromEntries(after.edges.map(({ id, targetHandle }) => [id, targetHandle])),
    ];
  };

  it('moves connections with their slides', () => {
    assert.deepEqual(set([2, 0, 1]), [
      ['c', 'a', 'b'],
      { title: 'in-title', first: 'in-photo2', third: 'in-photo1', caption: 'in-caption3' },
    ]);
  });

  it('removes the connections of a removed slide, and shifts those after it', () => {
    assert.deepEqual(set([1, 2, undefined]), [
      ['b', 'c', 'new'],
      { title: 'in-title', third: 'in-photo2', caption: 'in-caption1' },
    ]);
  });
});
