// Tests JSON that is passed on as it was sent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinMembers, parseItemTexts, parseMemberTexts } from '../../src/lib/json-scan.ts';
import { JsonText, stringifyJson } from '../../src/lib/json-text.ts';

const SENT =
  '{"b":1,"2":2,"1":[3,{"x":"a , } ] \\" b"}],"big":12345678901234567890,"e":1e400,"__proto__":{"n":"\\u0000\\ud800"}}';

describe('JSON text', () => {
  it('is written as it was sent, anywhere in a value', () => {
    const sentText = new JsonText(SENT);
    assert.equal(stringifyJson({ a: [sentText], b: sentText }), `{"a":[${SENT}],"b":${SENT}}`);
    assert.equal(stringifyJson(sentText), SENT);
  });

  it('is parsed by JavaScript, and serialized normally elsewhere', () => {
    const sentText = new JsonText<{ b: number; e: number }>(SENT);
    assert.deepEqual([sentText.value.b, sentText.value.e], [1, Number.POSITIVE_INFINITY]);
    assert.equal(JSON.stringify({ sent: sentText }), JSON.stringify({ sent: JSON.parse(SENT) }));
  });

  it('loses only white space between tokens, so that it fits on a line', () => {
    assert.equal(
      new JsonText(' {\n "a b" : [ 1 ,\t2 ] ,\r\n"c":" d  e"}\n').text,
      '{"a b":[1,2],"c":" d  e"}',
    );
  });

  it('is not treated as a replacement pattern if it has dollar signs', () => {
    assert.equal(stringifyJson({ a: new JsonText('"$& $1 $$"') }), '{"a":"$& $1 $$"}');
  });

  it('is refused if it is invalid', () => {
    for (const text of ['', '{', '{"a":1}}', "{'a':1}"]) assert.throws(() => new JsonText(text), SyntaxError);
  });
});

describe('items of an array', () => {
  it('are returned with their texts', () => {
    const itemTexts = parseItemTexts(' [ 1.50 ,{ "a" : [ "]" ] },"," , [] ] ');
    assert.deepEqual(itemTexts, ['1.50', '{ "a" : [ "]" ] }', '","', '[]']);
    assert.deepEqual(parseItemTexts('[]'), []);
    assert.deepEqual(parseItemTexts('{"a":[1]}'), []);
  });
});

describe('members of an object', () => {
  it('are returned with their texts, the last of equal names', () => {
    const memberTexts = [...parseMemberTexts(' { "a" : 1.50 , "b":{ "a" : [ "}" ] },"\\u0061":"x"} ')];
    assert.deepEqual(memberTexts, [
      ['b', '{ "a" : [ "}" ] }'],
      ['a', '"x"'],
    ]);
  });

  it('are none if the text is anything but an object', () => {
    for (const text of ['[]', '1', '"{}"', '{}', '']) assert.equal(parseMemberTexts(text).size, 0);
  });

  it('are joined to an object again', () => {
    const members = parseMemberTexts(SENT);
    assert.equal(joinMembers(members), SENT);
  });
});
