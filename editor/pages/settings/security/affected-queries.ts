// Lists the queries that a change of second factors affects.
export const AFFECTED_QUERIES = ['/auth/second-factors', 'session', '/teams'];
