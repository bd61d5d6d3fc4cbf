// Checks which mutations of a source file there are, and that each of them is a program.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listMutations, mutate } from '../../scripts/mutants/mutations.ts';

const listMutants = (source: string, hasSql = false): readonly (string | undefined)[] =>
  listMutations(source, hasSql).map(mutation => mutate(source, mutation));

/** Writes the substitutions of templates, which the linter does not expect in a string. */
const substitute = (text: string): string => text.replaceAll('#', '$');

describe('the mutations', () => {
  const cases: readonly (readonly [what: string, source: string, mutants: readonly string[]])[] = [
    [
      'comparisons',
      'x = b < c || d !== e;',
      ['x = b <= c || d !== e;', 'x = b < c && d !== e;', 'x = b < c || d === e;'],
    ],
    ['logical operators', 'x = a && !b;', ['x = a || !b;', 'x = a && b;']],
    ['arithmetic, but not signs', 'x = -a * b;', ['x = -a / b;']],
    ['defaults', 'x = a ?? [b, c][0];', ['x = a ;', 'x = a ?? [b, c][1];']],
    ['conditions', 'x = a ? (b as C) : d?.e;', ['x = a ? (d?.e) : ((b as C));']],
    [
      'nested conditions',
      'x = a ? b : c ? d : e;',
      ['x = a ? (c ? d : e) : (b);', 'x = a ? b : c ? (e) : (d);'],
    ],
    ['numbers, but not durations', 'x = [1, 20, 60_000];', ['x = [0, 20, 60_000];', 'x = [1, 21, 60_000];']],
    [
      'booleans, but not names of properties',
      'x = { true: a.false, b: true };',
      ['x = { true: a.false, b: false };'],
    ],
    ['codes, but not sentences', "x = f('not_found', 'Not found.');", ["x = f('', 'Not found.');"]],
    ['calls', 'await a.b(c);\nfor (const d of e) f?.(d)(g);', [';\nfor (const d of e) f?.(d)(g);']],
    ['templates', substitute('x = `#{a + `#{b}`} + /`;'), [substitute('x = `#{a - `#{b}`} + /`;')]],
    ['no regular expressions', 'x = a.replace(/[/"]+ - `/g);', []],
    ['no imports', "import { type A, b } from './b.ts';\nconst c = await import('d');", []],
    ['no types and no comments', "type A = 'a' | 1;\nlet x!: A<true>; // 1 + 2\n/* true */", []],
    ['no declarations of generators', 'function* a(): B { yield* c; }', []],
  ];
  for (const [what, source, mutants] of cases)
    it(`change ${what}`, () => assert.deepEqual(listMutants(source), mutants));

  it('change the operators of SQL, but not its comments and its assignments', () => {
    assert.deepEqual(listMutants('x = `update a set b = $1 -- and c\nwhere d = $2 and e is null`;', true), [
      'x = `update a set b = $1 -- and c\nwhere d <> $2 and e is null`;',
      'x = `update a set b = $1 -- and c\nwhere d = $2 or e is null`;',
      'x = `update a set b = $1 -- and c\nwhere d = $2 and e is not null`;',
    ]);
  });

  it('have the line and the text that they change', () => {
    assert.deepEqual(listMutations('const a: B = 0;\n\nx = c\n  >= d;', false).slice(1), [
      { start: 25, end: 27, line: 4, before: '>=', after: '>' },
    ]);
  });
});
