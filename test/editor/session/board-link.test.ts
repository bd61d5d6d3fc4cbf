// Tests the links by which a result of another page continues on the board.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BOARD_ACTIONS, parseBoardLink, toBoardHref } from '../../../editor/session/results/board-link.ts';

it('links to the board are read as they were written, and removed from the query string', () => {
  for (const action of BOARD_ACTIONS)
    for (const result of [
      { executionId: 'ex_1', nodeId: undefined, url: 'http://a.example/cdn/med_1/a b&c.png?x=1#y' },
      { executionId: 'ex_1', nodeId: 'call/inner 1', url: undefined },
    ]) {
      const url = new URL(toBoardHref('wf_1', { action, result }), 'http://a.example');
      url.searchParams.append('in', 'wf_0:1:call');
      assert.deepEqual(parseBoardLink(url.search), {
        link: { action, result },
        search: '?in=wf_0%3A1%3Acall',
      });
    }
});

it('other query strings are no links to the board', () => {
  for (const search of ['', '?in=wf_0:1:call', '?then=use', '?run=ex_1', '?then=delete&run=ex_1'])
    assert.equal(parseBoardLink(search), undefined, search);
});
