// Tests whom the board names as the author of a change that was made elsewhere.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findOtherAuthor } from '../../../editor/board/service-events.ts';

const [AT, LATER] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'];
const [ME, BEN, ANA] = [1, 2, 3];

it('names another author only if the author of the change is known', () => {
  const nameAuthor = (userId: number | null | undefined, updatedAt = AT): string | undefined =>
    findOtherAuthor(
      {
        users: [
          { userId: ME, name: 'Me' },
          { userId: BEN, name: 'Ben' },
        ],
        usersByNode: new Map(),
        ...(userId === undefined ? {} : { lastWrite: { updatedAt: AT, userId } }),
      },
      updatedAt,
      ME,
    );
  assert.equal(nameAuthor(BEN), 'Ben');
  assert.equal(nameAuthor(ANA), 'Someone else', 'who does not have the board open');
  // The user's other tab or agent.
  assert.equal(nameAuthor(ME), undefined);
  assert.equal(nameAuthor(null), undefined);
  // The board was read before the event of this change arrived, or after the event of an earlier one.
  assert.equal(nameAuthor(undefined), undefined);
  assert.equal(nameAuthor(BEN, LATER), undefined);
});
