// Loads an optional package. Its types may be missing, so the caller declares what it uses.

/** Returns the exports of a package of either kind of modules. */
export async function loadPackage<T>(name: string): Promise<T> {
  const module = (await import(name)) as { readonly 'module.exports'?: unknown };
  return (module['module.exports'] ?? module) as T;
}
