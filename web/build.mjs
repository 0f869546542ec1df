// Makes `dist` from `src`: one script, one style sheet, the page and its icon. The same sources give the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";

const folder = new URL("./", import.meta.url).pathname;
await rm(`${folder}dist`, { recursive: true, force: true });
await mkdir(`${folder}dist`);
await build({
  absWorkingDir: folder,
  entryPoints: { app: "src/main.ts", style: "src/style.css" },
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "eof",
});
for (const name of ["index.html", "icon.svg"]) {
  await copyFile(`${folder}src/${name}`, `${folder}dist/${name}`);
}
