// Tests which addresses count as public.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isLoopbackAddress,
  isLoopbackHost,
  isPrivateHost,
  isPublicAddress,
  toNetwork,
} from '../../src/lib/addresses.ts';

/** The blocks of IANA's special-purpose registries, each with its first address and its last or another address. */
const REGISTRY = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255'],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255'],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255'],
  ['::1/128', '::1', '::1'],
  ['::/128', '::', '::'],
  ['::ffff:0:0/96', '::ffff:0:0', '::ffff:ffff:ffff'],
  ['64:ff9b::/96', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::/32', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:1::1/128', '2001:1::1', '2001:1::3'],
  ['2001:2::/48', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['2001:3::/32', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:4:112::/48', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  ['2001:10::/28', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:20::/28', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:30::/28', '2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000::/48', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const;
/** Metadata addresses of clouds: Azure, AWS, Google, Oracle, Alibaba, Tencent. */
const CLOUDS = [
  '168.63.129.16',
  '169.254.169.254',
  'fd00:ec2::254',
  'fd20:ce::254',
  '192.0.0.192',
  '100.100.100.200',
  '169.254.0.23',
];
const BLOCKED = [
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
  '168.63.129.15',
  '168.63.129.17',
  '172.15.0.1',
  '172.32.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200e',
];

for (const address of BLOCKED)
  test(`${address || 'the empty text'} is not public`, () => assert.equal(isPublicAddress(address), false));
for (const address of ALLOWED)
  test(`${address} is public`, () => assert.equal(isPublicAddress(address), true));

for (const address of CLOUDS)
  test(`the cloud address ${address} is not public`, () => assert.equal(isPublicAddress(address), false));
for (const [block, firstAddress, lastAddress] of REGISTRY) {
  test(`the special-purpose block ${block} is not public`, () => {
    assert.equal(isPublicAddress(firstAddress), false);
    assert.equal(isPublicAddress(lastAddress), false);
  });
}

test('isLoopbackHost accepts only localhost, its subdomains and 127.0.0.1', () => {
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

test('isLoopbackAddress accepts only loopback addresses', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])
    assert.equal(isLoopbackAddress(host), true, host);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '192.0.2.1', 'graphs.example', ''])
    assert.equal(isLoopbackAddress(host), false, host);
});

test('toNetwork returns the /64 network of an IPv6 address and the whole IPv4 address', () => {
  assert.equal(toNetwork('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(toNetwork('2001:db8:1:2::'), '2001:db8:1:2::/64');
  assert.equal(toNetwork('::1'), '0:0:0:0::/64');
  assert.equal(toNetwork('203.0.113.7'), '203.0.113.7');
  assert.equal(toNetwork('::ffff:203.0.113.7'), '203.0.113.7');
  assert.equal(toNetwork(''), '');
});

test('a host is private by its literal address, a name without a dot, or a domain without public names', () => {
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '10.0.0.2',
    '[fd00::1]',
    'localhost',
    'a.localhost',
    'ollama',
    'nas.local',
    'x.internal',
    'x.home.arpa',
    'pc.lan.',
  ])
    assert.equal(isPrivateHost(host), true, host);
  for (const host of ['8.8.8.8', '[2606:4700::1]', 'api.example.com', 'local.example.com', 'example.com.'])
    assert.equal(isPrivateHost(host), false, host);
});
