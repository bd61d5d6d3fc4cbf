// Tests the limits of tables: rows and lines that would take long to parse, and columns and samples that would be large.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEncodingDetector } from '../../../src/automation/tables/encoding.ts';
import { parseTable } from '../../../src/automation/tables/parse-table.ts';
import type { TableRow } from '../../../src/automation/tables/read-table.ts';

const CHUNK_BYTES = 65_536;

/** Parses the text as it arrives from a file. */
async function parse(text: string, format?: 'csv' | 'jsonl') {
  const bytes = Buffer.from(text);
  const detector = createEncodingDetector();
  detector.add(bytes);
  const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, index) =>
    bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
  const rows: TableRow[] = [];
  const table = await parseTable(
    {
      ...(await detector.find()),
      chunks: (async function* () {
        yield* chunks;
      })(),
    },
    { format, maxRows: 20_000, onRows: async more => void rows.push(...more) },
  );
  return { ...table, rows };
}

const getMessages = ({ problems }: Awaited<ReturnType<typeof parse>>): readonly string[] =>
  problems.map(({ line, message }) => `${line}: ${message}`);

describe('a CSV table', () => {
  it('is not read past a row with more than 1,000 cells that is longer than a chunk', async () => {
    const table = await parse(`a,b\n1,2\n${','.repeat(900_000)}\n3,4\n`);
    assert.deepEqual(getMessages(table), [
      '3: The row has more than 1000 cells. The rest of the file was not read.',
    ]);
    assert.equal(table.rows.length, 1);
  });

  it('may have long cells with delimiters and quotes', async () => {
    const cell = 'a, "b"\n'.repeat(60_000);
    const table = await parse(`a,b\n"${cell.replaceAll('"', '""')}",2\n3,4\n`);
    assert.deepEqual(getMessages(table), []);
    assert.deepEqual(
      table.rows.map(({ cells }) => cells),
      [
        [cell, '2'],
        ['3', '4'],
      ],
    );
    assert.equal(table.rows[1]?.line, 60_003);
  });

  it('is parsed in chunks even if each ends with a carriage return', async () => {
    const table = await parse(`a\r${'\r'.repeat(2_000_000)}`);
    assert.equal(table.problems.length, 1000);
    assert.deepEqual([...new Set(table.problems.map(({ message }) => message))], ['The row is empty.']);
    assert.equal(table.total, 1_999_999);
    assert.equal(table.rows.length, 20_000);
  });

  it('has at most 1,000 columns, whose names have at most 200 characters', async () => {
    const names = Array.from({ length: 1001 }, (_, index) => `n${index}`);
    const wide = await parse(`${names.join()}\n${names.join()}\n`);
    assert.equal(wide.columns.length, 1000);
    assert.equal(wide.rows[0]?.cells.length, 1000);
    assert.match(getMessages(wide).join(), /1: The table has more than 1000 columns\./);
    const long = await parse(`a,${'n'.repeat(201)}\n1,2\n`);
    assert.deepEqual(getMessages(long), ['1: The name of column 2 is longer than 200 characters.']);
    assert.deepEqual(long.columns, ['a', 'n'.repeat(200)]);
  });
});

describe('the line ends of a table', () => {
  const getRows = async (text: string) => (await parse(text)).rows.map(({ cells }) => cells.join());

  it('may differ from line to line', async () => {
    const lines = ['a,b', '1,2', '3,4', '"5\n6",7', '8,9'];
    for (const ends of [
      ['\r\n', '\n', '\r\n', '\n'],
      ['\n', '\r\n', '\n', '\r\n'],
      ['\r', '\n', '\r\n', '\r'],
      ['\r\n', '\r', '\r', '\n'],
      // Text mode of Windows.
      ['\r\r\n', '\r\r\n', '\r\r\n', '\r\r\n'],
    ]) {
      const table = await parse(lines.map((line, index) => line + (ends[index] ?? '')).join(''));
      assert.deepEqual(getMessages(table), [], JSON.stringify(ends));
      assert.deepEqual(
        table.rows.map(({ line, cells }) => [line, ...cells]),
        [
          [2, '1', '2'],
          [3, '3', '4'],
          [4, '5\n6', '7'],
          [6, '8', '9'],
        ],
      );
    }
  });

  it('become line feeds in cells', async () => {
    assert.deepEqual(await getRows('a,b\r\n"x\r\ny\rz",2\r\n'), ['x\ny\nz,2']);
  });

  it('may differ across chunks', async () => {
    const count = 60_000;
    const text = `a,b\r\n${Array.from({ length: count }, (_, index) => `${index},x${'\r\n'.slice(index % 2)}`).join('')}`;
    const table = await parse(text);
    assert.deepEqual([table.total, getMessages(table)], [count, []]);
  });
});

describe('the first lines of a CSV table', () => {
  it('may name the separator', async () => {
    for (const [text, delimiter] of [
      ['sep=;\r\na;b\r\n1,5;2\r\n', 'semicolon'],
      ['SEP=,\na,b\n1;5,2\n', 'comma'],
      ['"sep=\t"\na\tb\n1,5\t2\n', 'tab'],
    ] as const) {
      const table = await parse(text);
      assert.deepEqual([table.delimiter, table.columns, getMessages(table)], [delimiter, ['a', 'b'], []]);
      assert.deepEqual(
        table.rows.map(({ line, cells }) => [line, cells[1]]),
        [[3, '2']],
      );
    }
    const other = await parse('sep=|\na|b\n1|2\n');
    assert.deepEqual(getMessages(other), [
      '1: The separator "|" is not supported. Use a comma, semicolon or tab.',
    ]);
  });

  it('may be blank', async () => {
    const table = await parse('\n \r\na,b\n1,2\n');
    assert.deepEqual([table.columns, getMessages(table), table.rows[0]?.line], [['a', 'b'], [], 4]);
    for (const text of ['\n\n', ',,,\n', ' ; ;\n\n'])
      assert.deepEqual(getMessages(await parse(text)), ['1: The table is empty.']);
  });

  it('may have only delimiters', async () => {
    for (const [first, delimiter] of [
      [',,,', ','],
      [';;', ';'],
      ['" ";;', ';'],
      ['\t \t', '\t'],
      [' \n;', ';'],
      [';;\n'.repeat(30), ';'],
    ] as const) {
      const rows = [
        ['a', 'b', 'c'],
        ['1', '2', '3'],
      ];
      const table = await parse(`${first}\n${rows.map(row => row.join(delimiter)).join('\n')}\n`);
      assert.deepEqual([table.columns, getMessages(table)], [rows[0], []], first);
      assert.deepEqual(
        table.rows.map(({ line, cells }) => [line, cells]),
        [[first.split('\n').length + 2, rows[1]]],
      );
    }
  });
});

describe('the rows of a CSV table', () => {
  it('may end with delimiters', async () => {
    for (const text of ['a;b\n1;2;\n3;4;;\n', 'a;b;\n1;2\n3;4;\n', 'a;b;;;\n1;2;;;\n3;4;;;\n']) {
      const table = await parse(text);
      assert.deepEqual([table.columns, getMessages(table)], [['a', 'b'], []], text);
      assert.deepEqual(
        table.rows.map(({ cells }) => cells.slice(0, 2)),
        [
          ['1', '2'],
          ['3', '4'],
        ],
      );
    }
    assert.deepEqual(getMessages(await parse('a,b,,\n1,2,x\n3,,\n')), [
      '2: The row has 3 cells, but the table has 2 columns. Put texts that contain the separator in quotes.',
    ]);
  });

  it('have quotes in pairs', async () => {
    assert.deepEqual(getMessages(await parse('a,b\n1,"say \\"hi\\" now"\n2,z\n')), [
      '2: The row cannot be read: a cell goes on after the quote that ends it. Inside a cell, write two quotes for one.',
    ]);
    assert.deepEqual(getMessages(await parse('a,b\n1,"x\n2,y\n')), [
      '2: The row cannot be read: a quote begins a cell and does not end, so that the rest of the file is in this cell.',
    ]);
  });

  it('have no space before a quote', async () => {
    assert.deepEqual(getMessages(await parse('a,b\n1, "x, y"\n2,"z"\n3,say "hi"\n')), [
      '2: A cell begins with a space and a quote. Remove the space before the quote.',
      '2: The row has 3 cells, but the table has 2 columns. Put texts that contain the separator in quotes.',
    ]);
  });

  it('may have spaces and quotes in quoted cells', async () => {
    const cells = [' "Hi" she said', '\n"Hi"', 'x,\n "y", z', '"', ' '];
    for (const delimiter of [',', ';']) {
      const quoted = cells.map(cell => `"${cell.replaceAll('"', '""')}"`);
      const text = `a${delimiter}b\n${quoted.map(cell => `${cell}${delimiter}${cell} \n`).join('')}`;
      const table = await parse(text);
      assert.deepEqual(getMessages(table), [], text);
      assert.deepEqual(
        table.rows.map(row => row.cells),
        cells.map(cell => [cell, cell]),
      );
      const spaced = await parse(`${text}1${delimiter} "2"\n`);
      assert.deepEqual(getMessages(spaced), [
        '11: A cell begins with a space and a quote. Remove the space before the quote.',
      ]);
    }
    assert.deepEqual(getMessages(await parse('name\n" ""Hi"" she said"\n')), []);
    assert.deepEqual(getMessages(await parse('a\tb\n "1"\t2\n')), []);
  });

  it('are searched for spaces before quotes in every chunk', async () => {
    const rows = Array.from({ length: 5000 }, () => '" ""x"" and\n ""y""",1').join('\n');
    const table = await parse(`a,b\n${rows}\n2, "3"\n${rows}\n`);
    assert.deepEqual(getMessages(table), [
      '10002: A cell begins with a space and a quote. Remove the space before the quote.',
    ]);
    assert.equal(table.total, 10_001);
  });
});

describe('a table of a JSON array', () => {
  it('has a row for each object, with the line on which it begins', async () => {
    for (const indent of [undefined, 2, '\t']) {
      const objects = [{ a: 'x, ]}"\\', b: [1, { c: '[' }] }, { a: '{' }, {}];
      const table = await parse(JSON.stringify(objects, undefined, indent));
      assert.deepEqual([table.format, table.columns, getMessages(table)], ['jsonl', ['a', 'b'], []]);
      assert.deepEqual(
        table.rows.map(({ cells }) => cells),
        [['x, ]}"\\', [1, { c: '[' }]], ['{'], []],
      );
    }
    const table = await parse('[\n {"a":1},\n {"a":2}\n]\n');
    assert.deepEqual(
      table.rows.map(({ line }) => line),
      [2, 3],
    );
  });

  it('may be longer than a chunk', async () => {
    const objects = Array.from({ length: 20_000 }, (_, index) => ({ text: `"row" ${index} \\` }));
    const table = await parse(JSON.stringify(objects, undefined, 1));
    assert.deepEqual([table.total, getMessages(table)], [20_000, []]);
    assert.deepEqual(table.rows.at(-1)?.cells, ['"row" 19999 \\']);
  });

  it('says what is wrong with it', async () => {
    const getProblems = async (text: string) => getMessages(await parse(text));
    assert.deepEqual(await getProblems('[{"a":1},\n2,\n{"a":}]'), [
      '2: The item is not a JSON object.',
      '3: The item is not a JSON object.',
    ]);
    assert.deepEqual(await getProblems('[{"a":1},\n{"a":2}'), [
      '2: The array is not closed. The rest of the file was not read.',
    ]);
    assert.deepEqual(await getProblems('[{"a":1}]\n{"a":2}'), [
      '2: The array has ended, but more text follows. The rest of the file was not read.',
    ]);
    assert.deepEqual(await getProblems(`[{"a":"${'x'.repeat(1_100_000)}"}]`), [
      '1: The item is longer than 1 MB. The rest of the file was not read.',
    ]);
  });
});

describe('a table of JSON lines', () => {
  it('may end with empty lines', async () => {
    assert.deepEqual(getMessages(await parse('{"a":1}\n\n \n')), []);
    assert.deepEqual(getMessages(await parse('{"a":1}\n\n\n{"a":2}')), [
      '2: The line is empty.',
      '3: The line is empty.',
    ]);
  });

  it('has no arrays in its lines', async () => {
    assert.deepEqual(getMessages(await parse('[1,2]\n[3,4]\n', 'jsonl')), [
      '1: The line is not a JSON object.',
      '2: The line is not a JSON object.',
    ]);
  });

  it('has lines with at most 20,000 values', async () => {
    const create = (count: number, value: string) => `{"a":[${Array(count).fill(value).join()}]}`;
    const table = await parse([create(300_000, '{}'), create(300_000, '0')].join('\n'));
    assert.deepEqual(getMessages(table), [
      '1: The line has more than 20000 values.',
      '2: The line has more than 20000 values.',
    ]);
    const exact = await parse(create(19_000, '12345678901234567890'));
    assert.deepEqual(getMessages(exact), []);
    assert.match(JSON.stringify(exact.rows), /12345678901234567890/);
  });

  it('has at most 1,000 members, whose names have at most 200 characters', async () => {
    const lines = Array.from({ length: 1001 }, (_, index) => `{"n${index}":1}`);
    const table = await parse([...lines, '{"n0":2}', `{"${'n'.repeat(201)}":1}`].join('\n'));
    assert.equal(table.columns.length, 1000);
    assert.equal(table.total, 1001);
    assert.deepEqual(getMessages(table), [
      '1001: There are more than 1000 different members.',
      "1003: A member's name is longer than 200 characters.",
    ]);
  });

  it('has lines of at most 256 levels', async () => {
    const table = await parse(`{"a":${'['.repeat(300_000)}${']'.repeat(300_000)}}\n{"a":1}`);
    assert.deepEqual(getMessages(table), ['1: The line is nested more than 256 levels deep.']);
    assert.equal(table.total, 1);
  });
});

describe('the sample of a table', () => {
  it('has the beginnings of long cells', async () => {
    const long = 'x'.repeat(800_000);
    const csv = await parse(`a,b\n${`${long},1\n`.repeat(30)}`);
    assert.deepEqual(csv.sample.length, 20);
    assert.deepEqual(csv.sample[0]?.cells, [`${'x'.repeat(500)}…`, '1']);
    assert.deepEqual(csv.rows[0]?.cells, [long, '1']);
    const json = await parse(`{"a":["${long}"],"b":{"c":1}}`);
    assert.deepEqual(json.sample[0]?.cells, [`["${'x'.repeat(498)}…`, { c: 1 }]);
  });

  it('has no half characters', async () => {
    const { sample } = await parse(`a\n${'x'.repeat(499)}🦊!\n`);
    assert.deepEqual(sample[0]?.cells, [`${'x'.repeat(499)}…`]);
  });

  it('has shorter beginnings if there are many columns', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    const row = names.map(() => 'x'.repeat(30)).join();
    const { sample } = await parse(`${names.join()}\n${`${row}\n`.repeat(20)}`);
    assert.equal(sample[19]?.cells[999], `${'x'.repeat(20)}…`);
    assert.ok(JSON.stringify(sample).length < 600_000);
  });
});
