// Lists the queries that a change of second factors affects.
export const SECOND_FACTOR_QUERIES = ['/auth/second-factors', 'session', '/teams'];
