// Tests which encodings of tables are detected, and which are refused because several would fit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEncodingDetector, type DeclaredEncoding } from '../../../src/automation/tables/encoding.ts';
import { encodeText } from '../../support/encode-text.ts';

/** Returns the encoding and the text, or the message of the refusal. */
async function read(bytes: Buffer, chosen?: string, chunkBytes = 65_536): Promise<string> {
  return readAs(bytes, chosen === undefined ? undefined : { name: chosen, isChosen: true }, chunkBytes);
}

async function readAs(
  bytes: Buffer,
  declared: DeclaredEncoding | undefined,
  chunkBytes = 65_536,
): Promise<string> {
  const detector = createEncodingDetector();
  for (let start = 0; start < bytes.length; start += chunkBytes)
    detector.add(Uint8Array.from(bytes.subarray(start, start + chunkBytes)));
  try {
    const { encoding, start } = await detector.find(declared);
    return `${encoding}: ${new TextDecoder(encoding).decode(bytes.subarray(start))}`;
  } catch (err) {
    return (err as Error).message;
  }
}

/** Rows as shops and editors keep them. */
const TEXTS: readonly (readonly [encoding: string, text: string])[] = [
  ['windows-1252', 'Prénom;Ville\r\nZoé;Besançon\r\nJérôme;Nîmes\r\nChloé;à côté du théâtre\r\n'],
  ['windows-1252', 'Name;Größe\r\nMüller;groß\r\nJürgen;für „Köln“ – 5 €\r\n'],
  ['windows-1252', 'name,año\r\nMuñoz,¿Qué tal?\r\nPeña,mañana más café en la montaña\r\n'],
  ['windows-1252', 'nome,descrição\r\nJoão,São Paulo\r\nConceição,maçã e pão de ló\r\n'],
  ['windows-1252', 'navn,sted\r\nSøren,Århus\r\nBjørn,Ærø på en grøn ø\r\n'],
  ['windows-1252', 'name\r\nRené\r\n'],
  ['windows-1250', 'imię,opis\r\nŁukasz,Żółta łódź na jeziorze\r\nMałgorzata,świeże śliwki\r\n'],
  ['windows-1250', 'jméno,popis\r\nJiří,žluťoučký kůň úpěl ďábelské ódy\r\nŠárka,příliš\r\n'],
  ['windows-1250', 'név,leírás\r\nGyőző,árvíztűrő tükörfúrógép\r\nErzsébet,őszi erdő fölött\r\n'],
  [
    'windows-1254',
    'ad,açıklama\r\nŞükrü,İstanbul’da kırmızı ışık\r\nGül,çiğ köfte, soğuk şerbet\r\nAyşe,ağaç\r\n',
  ],
  ['windows-1251', 'имя,описание\r\nАнна,рыжая лиса в снегу\r\nПётр,дом у моря\r\n'],
  ['koi8-u', 'имя,описание\r\nАнна,рыжая лиса в снегу\r\nОлег,дом у моря\r\n'],
  ['ibm866', 'имя,описание\r\nАнна,рыжая лиса в снегу\r\nПётр,дом у моря\r\n'],
  ['windows-1253', 'όνομα,περιγραφή\r\nΆννα,κόκκινη αλεπού στο χιόνι\r\n'],
  ['windows-1255', 'שם,תיאור\r\nדנה,שועל אדום בשלג\r\n'],
  ['windows-1256', 'الاسم,الوصف\r\nليلى,ثعلب أحمر في الثلج\r\n'],
  ['windows-874', 'ชื่อ,คำอธิบาย\r\nแดง,สุนัขจิ้งจอกในหิมะ\r\n'],
  ['shift_jis', '名前,説明\r\n田中,雪の中の赤いキツネ\r\n佐藤,海辺の家\r\n'],
  ['euc-jp', '名前,説明\r\n田中,雪の中の赤いキツネ\r\n佐藤,海辺の家\r\n'],
  ['gb18030', '名称,提示\r\n狐狸,雪中的红狐狸\r\n房子,海边的房子\r\n'],
  ['big5', '名稱,提示\r\n狐狸,雪中的紅狐狸\r\n房子,海邊的房子\r\n'],
  ['euc-kr', '이름,설명\r\n여우,눈 속의 붉은 여우\r\n집,바닷가의 집\r\n'],
  ['macintosh', 'Prénom,Ville\rZoé,Besançon\rJérôme,Nîmes\rChloé,à côté du théâtre\rHélène,Angoulême\r'],
];

describe('the encoding of a table', () => {
  it('is detected', async () => {
    for (const [encoding, text] of TEXTS)
      assert.equal(await read(encodeText(text, encoding)), `${encoding}: ${text}`);
  });

  it('is detected by the telling lines of a large file, wherever its chunks end', async () => {
    for (const [encoding, text] of TEXTS) {
      const start = 'id,name\r\n'.repeat(3000);
      const bytes = Buffer.concat([Buffer.from(start), encodeText(text, encoding), Buffer.from(start)]);
      for (const chunkBytes of [1009, 27_001])
        assert.equal(await read(bytes, undefined, chunkBytes), `${encoding}: ${start}${text}${start}`);
    }
  });

  it('is never another one that changes the text', async () => {
    // Single words say too little, and some encodings are unknown here.
    const words = ['España', 'Košice', 'Größe', 'Göteborg', 'São', 'français', 'Łódź', 'Győr', 'Ülemiste'];
    const encodings = [
      'windows-1252',
      'windows-1250',
      'windows-1254',
      'windows-1257',
      'macintosh',
      'iso-8859-2',
    ];
    for (const word of words)
      for (const encoding of encodings) {
        const bytes = tryEncode(`name\n${word}\n`, encoding);
        if (bytes === undefined) continue;
        const result = await read(bytes);
        assert.ok(
          result.endsWith(`: name\n${word}\n`) || result.includes('Set the encoding'),
          `${encoding} ${result}`,
        );
      }
    // Prénom, Größe and Müller in code page 850.
    const cp850 = Buffer.from('name,note\nPr\x82nom,Gr\x94\xe1e\nM\x81ller,sch\x94n\n', 'latin1');
    assert.match(await read(cp850), /cannot be detected\. Set the encoding, such as windows-1252/);
  });

  it('is the declared one', async () => {
    for (const [encoding, text] of TEXTS)
      assert.equal(await read(encodeText(text, encoding), encoding.toUpperCase()), `${encoding}: ${text}`);
    const aliases = ['MacRoman', 'x-mac-roman', 'macintosh'];
    for (const alias of aliases) assert.equal(await read(Buffer.of(0x8e), alias), 'macintosh: é');
    assert.equal(await read(encodeText('é', 'windows-1252'), 'iso-8859-1'), 'windows-1252: é');
    assert.equal(await read(encodeText('雪', 'shift_jis'), 'cp932'), 'shift_jis: 雪');
    assert.equal(await read(encodeText('雪', 'gb18030'), 'GBK'), 'gb18030: 雪');
  });

  it('is UTF-8 instead of a charset that HTTP libraries add by default, if the bytes are valid UTF-8', async () => {
    const readWith = (bytes: Buffer, name: string) => readAs(bytes, { name, isChosen: false });
    for (const charset of ['us-ascii', 'ISO-8859-1', 'latin1', 'iso-8859-15', 'windows-1252']) {
      assert.equal(await readWith(Buffer.from('name\nZoé\n'), charset), 'utf-8: name\nZoé\n');
      assert.equal(await readWith(Buffer.from('name\nZoe\n'), charset), 'utf-8: name\nZoe\n');
      const legacy = await readWith(Buffer.from('name\nZo\xe9\n', 'latin1'), charset);
      assert.match(legacy, /^(windows-1252|iso-8859-15): name\nZoé\n$/);
    }
    assert.equal(await read(Buffer.from('Zoé'), 'iso-8859-1'), 'windows-1252: ZoÃ©');
    assert.equal(await readWith(Buffer.from('é'), 'gb18030'), 'gb18030: 茅');
  });

  it('is the one of a byte order mark, even if another one is declared', async () => {
    assert.equal(await read(Buffer.from('\ufeffé'), 'windows-1252'), 'utf-8: é');
    assert.equal(await read(Buffer.from('\ufeffé', 'utf16le'), 'windows-1252'), 'utf-16le: é');
  });

  it('is refused if it is unknown, or if the bytes are not UTF-8 though declared', async () => {
    for (const name of ['utf-7', 'klingon', ''])
      assert.match(await read(Buffer.from('a'), name), /^Unknown encoding ".*"\. Set the encoding/);
    for (const bytes of [Buffer.of(0xe9), Buffer.from('\ufeffé').subarray(0, 4)])
      assert.match(await read(bytes, 'utf-8'), /^The table has bytes that are not utf-8\. Set the encoding/);
  });

  it('may be ISO-2022-JP, which is ASCII with escapes', async () => {
    const bytes = Buffer.from('name\n\x1b$B@c$NCf$N8Q\x1b(B\n', 'latin1');
    assert.equal(await read(bytes), 'iso-2022-jp: name\n雪の中の狐\n');
    assert.equal(await read(Buffer.from('a\x1b[31mb')), 'utf-8: a\x1b[31mb');
  });
});

function tryEncode(text: string, encoding: string): Buffer | undefined {
  try {
    return encodeText(text, encoding);
  } catch {
    return undefined;
  }
}
