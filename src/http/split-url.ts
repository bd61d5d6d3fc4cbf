// Splits the URL of a request.
/** Splits a request's URL into its path and its query, which is empty or begins with `?`. */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at) };
}
