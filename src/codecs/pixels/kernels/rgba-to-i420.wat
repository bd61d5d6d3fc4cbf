;; RGBA → I420: two rows of pixels at a time, 16 pixels a step. BT.709, limited range; transparency is dropped.
;; Built by `node scripts/build-kernels.ts`; test/codecs/kernels.test.ts holds the .wasm to this text.
;;
;; A pixel is split into two 16-bit parts twice: red and blue (the low byte of each half), green and alpha (the high
;; byte). One dot product weighs red and blue, another green and alpha (whose weight is 0), so that a sum of two products
;; is one 32-bit value: 15 fractional bits for luma, 17 for chroma, which weighs the sum of four pixels.
(module
  (import "env" "memory" (memory 0))
  (func (export "convert")
    ;; Where the first row of RGBA starts, and the bytes from one row to the next.
    (param $source i32) (param $row_bytes i32)
    ;; Pixels of a row, at least 16.
    (param $width i32)
    ;; Where the first row of luma goes, and the row of each kind of chroma.
    (param $y i32) (param $u i32) (param $v i32)
    ;; The first pixel of the step, and its address in either row.
    (local $x i32) (local $next i32) (local $last i32) (local $a i32) (local $b i32)
    ;; Four pixels of either row, as red and blue (rb) and green and alpha (ga).
    (local $rb_a v128) (local $ga_a v128) (local $rb_b v128) (local $ga_b v128)
    ;; Luma of both rows, four pixels each, and the sums of both rows that chroma is made of.
    (local $y_a0 v128) (local $y_a1 v128) (local $y_a2 v128) (local $y_a3 v128)
    (local $y_b0 v128) (local $y_b1 v128) (local $y_b2 v128) (local $y_b3 v128)
    (local $rb_0 v128) (local $rb_1 v128) (local $rb_2 v128) (local $rb_3 v128)
    (local $ga_0 v128) (local $ga_1 v128) (local $ga_2 v128) (local $ga_3 v128)
    ;; Sums of two neighbours in both rows: what one value of chroma is made of.
    (local $rb v128) (local $ga v128) (local $chroma_low v128)
    ;; Constants: written into the loop, each use would build them anew.
    (local $mask v128)
    (local $luma_rb v128) (local $luma_g v128) (local $luma_offset v128)
    (local $u_rb v128) (local $u_g v128)
    (local $v_rb v128) (local $v_g v128)
    (local $chroma_offset v128)

    (local.set $mask (v128.const i32x4 0x00ff00ff 0x00ff00ff 0x00ff00ff 0x00ff00ff))
    ;; Weights times 2^15. The offset is 16, and a half to round.
    (local.set $luma_rb (v128.const i16x8 5983 2032 5983 2032 5983 2032 5983 2032))
    (local.set $luma_g (v128.const i16x8 20127 0 20127 0 20127 0 20127 0))
    (local.set $luma_offset (v128.const i32x4 540672 540672 540672 540672))
    ;; Weights that add up to 0, so that grey stays grey. The offset is 128, and a half to round.
    (local.set $u_rb (v128.const i16x8 -3298 14392 -3298 14392 -3298 14392 -3298 14392))
    (local.set $u_g (v128.const i16x8 -11094 0 -11094 0 -11094 0 -11094 0))
    (local.set $v_rb (v128.const i16x8 14392 -1319 14392 -1319 14392 -1319 14392 -1319))
    (local.set $v_g (v128.const i16x8 -13073 0 -13073 0 -13073 0 -13073 0))
    (local.set $chroma_offset (v128.const i32x4 16842752 16842752 16842752 16842752))

    ;; The last step ends with the row and may overlap the one before it.
    (local.set $last (i32.sub (local.get $width) (i32.const 16)))
    (loop $steps
      (local.set $a (i32.add (local.get $source) (i32.shl (local.get $x) (i32.const 2))))
      (local.set $b (i32.add (local.get $a) (local.get $row_bytes)))

      ;; Pixels 0 to 3.
      (local.set $rb_a (v128.and (v128.load offset=0 (local.get $a)) (local.get $mask)))
      (local.set $ga_a (i16x8.shr_u (v128.load offset=0 (local.get $a)) (i32.const 8)))
      (local.set $rb_b (v128.and (v128.load offset=0 (local.get $b)) (local.get $mask)))
      (local.set $ga_b (i16x8.shr_u (v128.load offset=0 (local.get $b)) (i32.const 8)))
      (local.set $y_a0
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_a) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_a) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $y_b0
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_b) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_b) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $rb_0 (i16x8.add (local.get $rb_a) (local.get $rb_b)))
      (local.set $ga_0 (i16x8.add (local.get $ga_a) (local.get $ga_b)))

      ;; Pixels 4 to 7.
      (local.set $rb_a (v128.and (v128.load offset=16 (local.get $a)) (local.get $mask)))
      (local.set $ga_a (i16x8.shr_u (v128.load offset=16 (local.get $a)) (i32.const 8)))
      (local.set $rb_b (v128.and (v128.load offset=16 (local.get $b)) (local.get $mask)))
      (local.set $ga_b (i16x8.shr_u (v128.load offset=16 (local.get $b)) (i32.const 8)))
      (local.set $y_a1
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_a) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_a) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $y_b1
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_b) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_b) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $rb_1 (i16x8.add (local.get $rb_a) (local.get $rb_b)))
      (local.set $ga_1 (i16x8.add (local.get $ga_a) (local.get $ga_b)))

      ;; Pixels 8 to 11.
      (local.set $rb_a (v128.and (v128.load offset=32 (local.get $a)) (local.get $mask)))
      (local.set $ga_a (i16x8.shr_u (v128.load offset=32 (local.get $a)) (i32.const 8)))
      (local.set $rb_b (v128.and (v128.load offset=32 (local.get $b)) (local.get $mask)))
      (local.set $ga_b (i16x8.shr_u (v128.load offset=32 (local.get $b)) (i32.const 8)))
      (local.set $y_a2
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_a) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_a) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $y_b2
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_b) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_b) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $rb_2 (i16x8.add (local.get $rb_a) (local.get $rb_b)))
      (local.set $ga_2 (i16x8.add (local.get $ga_a) (local.get $ga_b)))

      ;; Pixels 12 to 15.
      (local.set $rb_a (v128.and (v128.load offset=48 (local.get $a)) (local.get $mask)))
      (local.set $ga_a (i16x8.shr_u (v128.load offset=48 (local.get $a)) (i32.const 8)))
      (local.set $rb_b (v128.and (v128.load offset=48 (local.get $b)) (local.get $mask)))
      (local.set $ga_b (i16x8.shr_u (v128.load offset=48 (local.get $b)) (i32.const 8)))
      (local.set $y_a3
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_a) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_a) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $y_b3
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb_b) (local.get $luma_rb))
              (i32x4.dot_i16x8_s (local.get $ga_b) (local.get $luma_g)))
            (local.get $luma_offset))
          (i32.const 15)))
      (local.set $rb_3 (i16x8.add (local.get $rb_a) (local.get $rb_b)))
      (local.set $ga_3 (i16x8.add (local.get $ga_a) (local.get $ga_b)))

      ;; Luma of 16 pixels a row.
      (v128.store
        (i32.add (local.get $y) (local.get $x))
        (i8x16.narrow_i16x8_u
          (i16x8.narrow_i32x4_s (local.get $y_a0) (local.get $y_a1))
          (i16x8.narrow_i32x4_s (local.get $y_a2) (local.get $y_a3))))
      (v128.store
        (i32.add (i32.add (local.get $y) (local.get $width)) (local.get $x))
        (i8x16.narrow_i16x8_u
          (i16x8.narrow_i32x4_s (local.get $y_b0) (local.get $y_b1))
          (i16x8.narrow_i32x4_s (local.get $y_b2) (local.get $y_b3))))

      ;; U of 8 squares of 2 × 2 pixels: even pixels and their neighbours added, then weighed.
      (local.set $rb
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $rb_0) (local.get $rb_1))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $rb_0) (local.get $rb_1))))
      (local.set $ga
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $ga_0) (local.get $ga_1))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $ga_0) (local.get $ga_1))))
      (local.set $chroma_low
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb) (local.get $u_rb))
              (i32x4.dot_i16x8_s (local.get $ga) (local.get $u_g)))
            (local.get $chroma_offset))
          (i32.const 17)))
      (local.set $rb
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $rb_2) (local.get $rb_3))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $rb_2) (local.get $rb_3))))
      (local.set $ga
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $ga_2) (local.get $ga_3))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $ga_2) (local.get $ga_3))))
      (local.set $ga
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb) (local.get $u_rb))
              (i32x4.dot_i16x8_s (local.get $ga) (local.get $u_g)))
            (local.get $chroma_offset))
          (i32.const 17)))
      (local.set $ga (i16x8.narrow_i32x4_s (local.get $chroma_low) (local.get $ga)))
      (v128.store64_lane 0
        (i32.add (local.get $u) (i32.shr_u (local.get $x) (i32.const 1)))
        (i8x16.narrow_i16x8_u (local.get $ga) (local.get $ga)))

      ;; V of 8 squares of 2 × 2 pixels: even pixels and their neighbours added, then weighed.
      (local.set $rb
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $rb_0) (local.get $rb_1))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $rb_0) (local.get $rb_1))))
      (local.set $ga
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $ga_0) (local.get $ga_1))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $ga_0) (local.get $ga_1))))
      (local.set $chroma_low
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb) (local.get $v_rb))
              (i32x4.dot_i16x8_s (local.get $ga) (local.get $v_g)))
            (local.get $chroma_offset))
          (i32.const 17)))
      (local.set $rb
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $rb_2) (local.get $rb_3))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $rb_2) (local.get $rb_3))))
      (local.set $ga
        (i16x8.add
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $ga_2) (local.get $ga_3))
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $ga_2) (local.get $ga_3))))
      (local.set $ga
        (i32x4.shr_s
          (i32x4.add
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $rb) (local.get $v_rb))
              (i32x4.dot_i16x8_s (local.get $ga) (local.get $v_g)))
            (local.get $chroma_offset))
          (i32.const 17)))
      (local.set $ga (i16x8.narrow_i32x4_s (local.get $chroma_low) (local.get $ga)))
      (v128.store64_lane 0
        (i32.add (local.get $v) (i32.shr_u (local.get $x) (i32.const 1)))
        (i8x16.narrow_i16x8_u (local.get $ga) (local.get $ga)))

      (if (i32.lt_s (local.get $x) (local.get $last))
        (then
          (local.set $next (i32.add (local.get $x) (i32.const 16)))
          (local.set $x
            (select (local.get $next) (local.get $last) (i32.lt_s (local.get $next) (local.get $last))))
          (br $steps))))))
