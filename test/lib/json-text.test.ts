// Tests JSON that is passed on unchanged.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinMembers, parseItemTexts, parseMemberTexts } from '../../src/lib/json-scan.ts';
import { JsonText, stringifyJson } from '../../src/lib/json-text.ts';

const TEXT =
  '{"b":1,"2":2,"1":[3,{"x":"a , } ] \\" b"}],"big":12345678901234567890,"e":1e400,"__proto__":{"n":"\\u0000\\ud800"}}';

describe('JsonText', () => {
  it('is serialized unchanged by stringifyJson, anywhere in a value', () => {
    const jsonText = new JsonText(TEXT);
    assert.equal(stringifyJson({ a: [jsonText], b: jsonText }), `{"a":[${TEXT}],"b":${TEXT}}`);
    assert.equal(stringifyJson(jsonText), TEXT);
  });

  it('has the parsed value, which JSON.stringify serializes', () => {
    const jsonText = new JsonText<{ b: number; e: number }>(TEXT);
    assert.deepEqual([jsonText.value.b, jsonText.value.e], [1, Number.POSITIVE_INFINITY]);
    assert.equal(JSON.stringify({ sent: jsonText }), JSON.stringify({ sent: JSON.parse(TEXT) }));
  });

  it('loses only white space between tokens', () => {
    assert.equal(
      new JsonText(' {\n "a b" : [ 1 ,\t2 ] ,\r\n"c":" d  e"}\n').text,
      '{"a b":[1,2],"c":" d  e"}',
    );
  });

  it('may contain dollar signs', () => {
    assert.equal(stringifyJson({ a: new JsonText('"$& $1 $$"') }), '{"a":"$& $1 $$"}');
  });

  it('throws a SyntaxError for invalid JSON', () => {
    for (const text of ['', '{', '{"a":1}}', "{'a':1}"]) assert.throws(() => new JsonText(text), SyntaxError);
  });
});

describe('parseItemTexts', () => {
  it('returns the text of each item of an array', () => {
    const itemTexts = parseItemTexts(' [ 1.50 ,{ "a" : [ "]" ] },"," , [] ] ');
    assert.deepEqual(itemTexts, ['1.50', '{ "a" : [ "]" ] }', '","', '[]']);
    assert.deepEqual(parseItemTexts('[]'), []);
    assert.deepEqual(parseItemTexts('{"a":[1]}'), []);
  });
});

describe('parseMemberTexts', () => {
  it('returns the text of each member, and the last member of equal names', () => {
    const memberTexts = [...parseMemberTexts(' { "a" : 1.50 , "b":{ "a" : [ "}" ] },"\\u0061":"x"} ')];
    assert.deepEqual(memberTexts, [
      ['b', '{ "a" : [ "}" ] }'],
      ['a', '"x"'],
    ]);
  });

  it('returns no members if the text is not an object', () => {
    for (const text of ['[]', '1', '"{}"', '{}', '']) assert.equal(parseMemberTexts(text).size, 0);
  });

  it('returns members that joinMembers joins to the same text', () => {
    const members = parseMemberTexts(TEXT);
    assert.equal(joinMembers(members), TEXT);
  });
});
