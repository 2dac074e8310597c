import { copyFileSync } from 'node:fs';

copyFileSync('index.html', 'dist/index.html');
