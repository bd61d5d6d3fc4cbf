// Defines how the processes of a test run find its PostgreSQL server.

/** The environment variable that contains the server's address as JSON. */
export const ADDRESS_VARIABLE = 'GRAPHWRIGHT_TEST_POSTGRES';

export interface TestAddress {
  readonly socketDir: string;
  readonly user: string;
  readonly database: string;
}
