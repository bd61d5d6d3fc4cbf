// Tests which environment variables are reported as misspelled settings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeUnknownSettings } from '../../src/cli/unknown-settings.ts';
import { listOtherVariables } from '../../src/lib/settings.ts';

describe('describeUnknownSettings', () => {
  it('suggests the setting that a variable almost names', () => {
    for (const [name, setting] of [
      ['MAX_CONCURENT_RUNS', 'MAX_CONCURRENT_RUNS'],
      ['SECRET_KEY', 'SECRETS_KEY'],
      ['SECRETS_KEYS', 'SECRETS_KEY'],
      ['DATABASE_URI', 'DATABASE_URL'],
      ['BASEURL', 'BASE_URL'],
      ['GRAPHWRIGHT_DATABASE_URL', 'DATABASE_URL'],
      ['GRAPHWRIGHT_API_KEYS', 'GRAPHWRIGHT_API_KEY'],
    ] as const)
      assert.deepEqual(describeUnknownSettings([name]), [
        `Unknown setting ${name}. Did you mean ${setting}?`,
      ]);
  });

  it('reports a variable with our prefix that no setting resembles', () => {
    assert.deepEqual(describeUnknownSettings(['GRAPHWRIGHT_THEME']), [
      'Unknown setting GRAPHWRIGHT_THEME. graphwright --help lists the settings.',
    ]);
  });

  it('ignores the variables of other programs', () => {
    const variables = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'HOSTS',
      'PORTS',
      'PGHOST',
      'POSTGRES_PASSWORD',
      'NODE_ENV',
      'EDITOR',
      'AWS_REGION',
      'AWS_SESSION_TOKEN',
      'AWS_DEFAULT_REGION',
      'OPENAI_ORG_ID',
      'OPENAI_API_KEY_2',
      'OPENAI_API_BASE',
      'OTEL_TRACES_EXPORTER',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'GRAPHWRIGHT_SERVICE_HOST',
      'GRAPHWRIGHT_SERVICE_PORT_HTTP',
      'GRAPHWRIGHT_PORT',
      'GRAPHWRIGHT_API_PORT_3000_TCP_ADDR',
      'base_url',
      'http_proxy',
      'DATABASE_PORT',
      'REDIS_URL',
      'LOG_FORMAT',
      'DATA_HOME',
      'FFMPEG_BIN',
      'S3_ACCESS_KEY',
    ];
    assert.deepEqual(describeUnknownSettings(variables), []);
  });
});

describe('listOtherVariables', () => {
  it('leaves out settings and empty variables', () => {
    assert.deepEqual(listOtherVariables({ PORT: '1', PORTS: '2', EMPTY: '' }), ['PORTS']);
  });
});
