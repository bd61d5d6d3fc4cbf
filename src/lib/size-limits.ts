// Defines the sizes that several folders limit.

/** The limit of all request bodies except uploads and imports. */
export const MAX_BODY_BYTES = 4_194_304;

/** The limit of a graph, whichever way it arrives: as many bytes as the body of a request that writes one. */
export const MAX_GRAPH_BYTES = MAX_BODY_BYTES;
