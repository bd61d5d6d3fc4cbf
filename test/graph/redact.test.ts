// Tests redact with common names of secrets, and with names that only resemble names of secrets.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSecretName, redact } from '../../src/graph/redact.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';

const SECRET_NAMES = `
  secret secrets secretKey SECRET_KEY clientSecret client_secret client-secret clientsecret webhookSecret appSecret
  secretAccessKey aws_secret_access_key sharedsecret secretValue my_secret_2 topSecretThing
  key KEY Key apiKey api_key API-KEY apikey APIKEY APIKey apiKeys x-api-key X-Api-Key openaiApiKey OPENAI_API_KEY
  accessKey accessKeyId access_key_id AWS_ACCESS_KEY_ID accesskeyid falKey fal_key FAL_KEY elevenLabsKey privateKey
  private_key privatekey signingKey encryptionKey ssh_key licenseKey serviceAccountKey key1 apiKey2 api_key_old api.key
  token tokens authToken auth_token AUTH-TOKEN authtoken accessToken access_token refreshToken idToken bearerToken
  githubToken GITHUB_TOKEN slackBotToken sessionToken csrfToken X-Auth-Token REPLICATE_API_TOKEN replicateToken tokenHash
  password passwd Password PASSWORD passWord userPassword user_password db-password mypassword passwords passwordHash
  pwd passphrase pass dbPass smtp_pass credentials credential authorization Authorization Proxy-Authorization bearer jwt
  auth basicAuth cookie ａｐｉＫｅｙ
`;
const HARMLESS_NAMES = `
  keys keyboard monkey  tokenizer keyframes keyFrames keyframe keyword keywords key_points keyLight keyColor turkey donkey
  hockey whiskey hotkey hotKey sortKey sort_key primaryKey foreignKey cacheKey publicKey chromaKey chroma_key lumaKey
  idempotencyKey musicalKey maxTokens max_tokens MAX_TOKENS min_tokens totalTokens promptTokens completion_tokens
  tokenCount tokenLimit tokensPerSecond token_type stopToken tokenize tokenization passage passenger compass bypass
  passThrough lowPass high_pass secretary author authority authorName authored prompt seed guidance_scale value config
  text template monkeyKind keyhole keynote designTokens broken spoken Tokyo accession description name id type position
  nodeType sourceHandle userId label notes
`;

const splitNames = (table: string): string[] => table.trim().split(/\s+/);

describe('redact', () => {
  for (const name of [...splitNames(SECRET_NAMES), 'api key', 'Access Token']) {
    it(`removes ${name}`, () => assert.deepEqual(redact({ [name]: 'x' }), {}));
  }
  for (const name of splitNames(HARMLESS_NAMES)) {
    it(`keeps ${name}`, () => assert.deepEqual(redact({ [name]: 'x' }), { [name]: 'x' }));
  }

  it('removes webhookUrl, dailyCreditBudget, executionEngine and assignees', () => {
    const workflow = {
      webhookUrl: 'https://x',
      dailyCreditBudget: 5,
      executionEngine: 'standard',
      assignees: ['ana@example.com'],
      views: 1,
    };
    assert.deepEqual(redact(workflow), { views: 1 });
  });

  it('copies nested objects and arrays without their secrets', () => {
    const graph = {
      nodes: [{ data: { config: { headers: [{ 'X-Api-Key': 'k', Accept: '*' }], seed: 1 } } }],
    };
    const before = structuredClone(graph);
    assert.deepEqual(redact(graph), {
      nodes: [{ data: { config: { headers: [{ Accept: '*' }], seed: 1 } } }],
    });
    assert.deepEqual(graph, before);
  });

  it('removes secrets whatever the type of their value', () => {
    assert.deepEqual(redact({ token: { a: 1 }, apiKeys: [1], password: null }), {});
  });

  it('copies the key __proto__ without setting the prototype of the copy', () => {
    const copy = redact(JSON.parse('{"__proto__":{"admin":true}}')) as { admin?: boolean };
    assert.equal(copy.admin, undefined);
  });

  it('removes no port or setting of the catalog', () => {
    const { entries } = createNodeCatalog({ SANDBOX_MODELS: true });
    const ids = entries.flatMap(({ inputs, outputs }) => [...inputs, ...outputs].map(({ id }) => id));
    assert.deepEqual(ids.filter(isSecretName), []);
  });
});
