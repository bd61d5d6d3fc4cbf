// Which addresses count as public, each by name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopbackHost, isPublicAddress, networkOf } from '../../src/lib/addresses.ts';

const REFUSED = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2001:20::1',
  '2002:7f00:1::',
  '2002:a00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
  'e000::1',
  '',
  'localhost',
  '8.8.8.8.8',
  '8.8.8.8/32',
  ' 8.8.8.8',
  '[2606:4700::1]',
];
const ALLOWED = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200e',
];

for (const address of REFUSED)
  test(`${address || 'the empty text'} is not public`, () => assert.equal(isPublicAddress(address), false));
for (const address of ALLOWED)
  test(`${address} is public`, () => assert.equal(isPublicAddress(address), true));

test("only the local names are this machine's", () => {
  for (const host of ['localhost', '127.0.0.1', 'a.localhost', 'a.b.localhost'])
    assert.equal(isLoopbackHost(host), true, host);
  for (const host of [
    'localhost.',
    '127.0.0.2',
    '[::1]',
    'localhost.example.com',
    'notlocalhost',
    '10.0.0.1',
  ])
    assert.equal(isLoopbackHost(host), false, host);
});

test('an IPv6 caller is a network of 64 bits, an IPv4 caller an address in whatever dress', () => {
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:db8:1:2::'), '2001:db8:1:2::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('203.0.113.7'), '203.0.113.7');
  assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7');
  assert.equal(networkOf(''), '');
});
