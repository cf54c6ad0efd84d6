//! Writing networks, in the form in which they are read.

use super::{
    file::{GLOBALS, MARK, PLANES},
    model::{Conv, Dense, Model, Norm},
};

/// A network as the bytes of a file that is not packed.
pub fn write(model: &Model) -> Vec<u8> {
    let mut to = Writer(Vec::new());
    to.words(&[&model.name, &model.version, &PLANES, &GLOBALS, &"trunk", &model.blocks.len(), &model.first.outputs]);
    let first = &model.blocks[0].first;
    to.words(&[&first.outputs, &first.outputs, &first.outputs, &first.outputs]);
    to.conv("conv1", &model.first);
    to.dense("globals", &model.first_global);
    for (number, block) in model.blocks.iter().enumerate() {
        let kind = if block.pooling.is_some() { "gpool_block" } else { "ordinary_block" };
        to.words(&[&kind, &format!("block{}", number + 1)]);
        to.norm("norm1", &block.before);
        to.conv("w1", &block.first);
        if let Some(pooling) = &block.pooling {
            to.conv("w1b", &pooling.conv);
            to.norm("norm1b", &pooling.norm);
            to.dense("w1r", &pooling.to_bias);
        }
        to.norm("norm2", &block.between);
        to.conv("w2", &block.second);
    }
    to.norm("trunk/norm", &model.last);
    let p = &model.policy;
    to.words(&[&"policyhead"]);
    to.conv("p1", &p.points);
    to.conv("g1", &p.board);
    to.norm("g1/norm", &p.board_norm);
    to.dense("g2", &p.board_to_points);
    to.norm("p1/norm", &p.norm);
    to.conv("p2", &p.last);
    to.dense("pass", &p.pass);
    let v = &model.value;
    to.words(&[&"valuehead"]);
    to.conv("v1", &v.first);
    to.norm("v1/norm", &v.norm);
    to.dense("v2", &v.hidden);
    to.bias("v2/bias", &v.hidden_bias);
    to.words(&[&"v2/actv"]);
    to.dense("v3", &v.value);
    to.bias("v3/bias", &v.value_bias);
    to.dense("sv3", &v.score);
    to.bias("sv3/bias", &v.score_bias);
    to.conv("ownership", &v.ownership);
    to.0
}

struct Writer(Vec<u8>);

impl Writer {
    fn words(&mut self, words: &[&dyn std::fmt::Display]) {
        for word in words {
            self.0.extend(format!("{word}\n").bytes());
        }
    }

    fn floats(&mut self, numbers: &[f32]) {
        self.0.extend(MARK);
        self.0.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        self.0.push(b'\n');
    }

    fn conv(&mut self, name: &str, conv: &Conv) {
        self.words(&[&name, &conv.side, &conv.side, &conv.inputs, &conv.outputs, &1, &1]);
        self.floats(&conv.weights);
    }

    /// As one whose mean is 0 and whose variance with its epsilon is 1.
    fn norm(&mut self, name: &str, norm: &Norm) {
        const EPSILON: f32 = 1.0 / 1024.0;
        let channels = norm.scale.len();
        self.words(&[&name, &channels, &EPSILON, &1, &1]);
        self.floats(&vec![0.0; channels]);
        self.floats(&vec![1.0 - EPSILON; channels]);
        self.floats(&norm.scale);
        self.floats(&norm.bias);
        self.words(&[&format!("{name}/actv")]);
    }

    fn dense(&mut self, name: &str, dense: &Dense) {
        self.words(&[&name, &dense.inputs, &dense.outputs]);
        self.floats(&dense.weights);
    }

    fn bias(&mut self, name: &str, bias: &[f32]) {
        self.words(&[&name, &bias.len()]);
        self.floats(bias);
    }
}
