// Loads sharp, limited to the accepted types.

type SharpModule = typeof import('sharp').default;

const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map(name => `VipsForeignLoad${name}`);
let loading: Promise<SharpModule> | undefined;

/** Loaded at first use: an idle service saves its 20 MB. */
export function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loading;
}
