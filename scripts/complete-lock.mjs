// Adds the optional binaries of other platforms to the lock file, because `npm ci` rejects a lock file without them and some
// registries do not list them. npm installs only those of the current platform. `npm run lock` runs this.
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openbsd', 'openharmony', 'win32'];
const PROCESSORS = [
  ['arm-eabi', 'arm'],
  ['arm64', 'arm64'],
  ['armv7', 'arm'],
  ['arm', 'arm'],
  ['ia32', 'ia32'],
  ['loong64', 'loong64'],
  ['ppc64', 'ppc64'],
  ['riscv64', 'riscv64'],
  ['s390x', 's390x'],
  ['wasm32', 'wasm32'],
  ['x64', 'x64'],
];

const file = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const packages = new Map(Object.entries(lock.packages));
let added = 0;
for (const [path, { optionalDependencies = {} }] of Object.entries(lock.packages)) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (packages.has(`node_modules/${name}`) || packages.has(`${path}/node_modules/${name}`)) continue;
    const system = SYSTEMS.find((one) => name.includes(one));
    const processor = PROCESSORS.find(([part]) => name.includes(part))?.[1];
    if (system === undefined && processor === undefined) continue;
    packages.set(`node_modules/${name}`, {
      version,
      ...(processor === undefined ? {} : { cpu: [processor] }),
      dev: true,
      ...(/musl|gnu/.test(name) ? { libc: [name.includes('musl') ? 'musl' : 'glibc'] } : {}),
      optional: true,
      ...(system === undefined ? {} : { os: [system] }),
    });
    added += 1;
  }
}
const sorted = [...packages].toSorted(([left], [right]) => (left < right ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);
console.log(`${added} entries added to ${file}`);
